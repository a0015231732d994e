import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files in which git keeps the branches that a rebase moves when it finishes; the last one lists those of `--update-refs`. */
const STATES = ['rebase-merge/head-name', 'rebase-apply/head-name', 'rebase-merge/update-refs'];

const MAX_BYTES = 1024 * 1024;

/**
 * Finds the working tree in which a branch is being rebased. It is not checked out there, but the rebase cannot finish if the branch was
 * moved.
 */
export function findRebase(commonFolder: string, ref: string): string | undefined {
  const isMoved = (folder: string): boolean =>
    STATES.some((name) => readLines(join(folder, name)).includes(ref));
  if (isMoved(commonFolder)) return dirname(commonFolder);
  const linked = join(commonFolder, 'worktrees');
  const folder = namesIn(linked)
    .map((name) => join(linked, name))
    .find(isMoved);
  return folder === undefined ? undefined : dirname(readLines(join(folder, 'gitdir'))[0] || folder);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No working tree was linked.
    return [];
  }
}

/** Another program may have put anything in the place of the file, such as a pipe, which would block. */
function readLines(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.size > MAX_BYTES) return [];
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}
