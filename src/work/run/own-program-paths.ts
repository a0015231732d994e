import { dirname, isAbsolute } from 'node:path';
import type { WorkContext } from '../work-context.ts';
import { isWithin } from '../workspace/resolve-tree.ts';
import { PRIVATE_FOLDERS } from '../workspace/sandbox/hidden-paths.ts';

/**
 * Lists paths that a sandbox must expose so that this program can be started in it: it may be installed in a folder that the sandbox
 * replaces, or below the deed home. The executable's other names are in the same folder.
 */
export function ownProgramPaths({
  program,
  home,
  workspace,
}: Pick<WorkContext, 'program' | 'home' | 'workspace'>): readonly string[] {
  const hidden = [...PRIVATE_FOLDERS, home, workspace.accountHome];
  return program.flatMap((path) => {
    if (!isAbsolute(path) || !hidden.some((folder) => isWithin(folder, path))) return [];
    return [hidden.includes(dirname(path)) ? path : dirname(path)];
  });
}
