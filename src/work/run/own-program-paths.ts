import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { PROGRAM_NAMES } from '../../system/program-names.ts';
import type { WorkContext } from '../work-context.ts';
import { createHiddenTest } from '../workspace/sandbox/is-visible.ts';
import { ownerOf } from '../workspace/tree-owner.ts';

/**
 * Lists the files that a sandbox must show so that this program can be started in it: the executable, and its other names in the same
 * folder. The folder itself is not shown: it may be any folder of the user, and contain the deed home.
 */
export function ownProgramPaths(
  { program, workspace }: Pick<WorkContext, 'program' | 'workspace'>,
  root: string,
): readonly string[] {
  const isHidden = createHiddenTest(workspace, ownerOf(workspace, root)?.uid);
  const hidden = program.filter((path) => isAbsolute(path) && isHidden(path));
  return [...new Set(hidden.flatMap((path) => [path, ...otherNames(path)]))];
}

/** A package has a script for each name, other installations a link to the executable. */
function otherNames(path: string): readonly string[] {
  const folder = dirname(path);
  return PROGRAM_NAMES.map((name) => join(folder, name)).filter((other) => {
    try {
      const real = realpathSync(other);
      const stats = statSync(real);
      return stats.isFile() && (stats.mode & 0o111) !== 0 && (real === other || real === realpathSync(path));
    } catch {
      // There is no program of this name.
      return false;
    }
  });
}
