import { dirname, isAbsolute } from 'node:path';
import type { WorkContext } from '../work-context.ts';
import { isWithin } from '../workspace/resolve-tree.ts';
import { PRIVATE_FOLDERS } from '../workspace/sandbox/hidden-places.ts';

/**
 * Lists what a sandbox must show again so that this program can be started in it: it may be installed where the sandbox has a folder of its
 * own, or below our home. The executable has its other names beside it.
 */
export function ownProgramPaths({ program, home }: Pick<WorkContext, 'program' | 'home'>): readonly string[] {
  const hidden = [...PRIVATE_FOLDERS, home];
  return program.flatMap((path) => {
    if (!isAbsolute(path) || !hidden.some((folder) => isWithin(folder, path))) return [];
    return [hidden.includes(dirname(path)) ? path : dirname(path)];
  });
}
