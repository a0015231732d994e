import { dirname, isAbsolute } from 'node:path';
import type { WorkWorld } from '../work-world.ts';
import { isWithin } from '../workspace/resolve-tree.ts';
import { PRIVATE_FOLDERS } from '../workspace/sandbox/hidden-places.ts';

/**
 * Lists what a sandbox must show again so that this program can be started in it: it may be installed where the sandbox has a folder of its
 * own, or below our home. A script has its other files beside it.
 */
export function ownProgramPaths({ program, home }: Pick<WorkWorld, 'program' | 'home'>): readonly string[] {
  return program.flatMap((path, index) => {
    const covered = isAbsolute(path) && [...PRIVATE_FOLDERS, home].some((folder) => isWithin(folder, path));
    return covered ? [index === 0 ? path : dirname(path)] : [];
  });
}
