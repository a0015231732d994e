import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  futimesSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { systemCode } from '../../../base/system-fault.ts';
import { writeWhole } from '../../../system/durable-file.ts';
import { ensurePrivateFolder } from '../../../system/private-folder.ts';
import { removeFolder } from '../../../system/remove-folder.ts';
import { runGit } from '../git.ts';
import type { WorkspaceContext } from '../workspace.ts';

/**
 * Changes entries of the user's index. Git itself would compare recently staged files with their content when it writes an index, and run
 * the filters of the repository for that. So it writes a copy, without a working tree, which replaces the index under git's own lock. The
 * index keeps its time: git recognizes by it which files it has to compare later.
 */
export async function updateIndex(
  context: WorkspaceContext,
  { root, gitFolder, input }: { root: string; gitFolder: string; input: string },
): Promise<void> {
  const { output } = await runGit(context, ['rev-parse', '--git-path', 'index'], { cwd: root });
  const index = resolve(root, output.toString('utf8').trim());
  ensurePrivateFolder(context.folder);
  const folder = mkdtempSync(join(context.folder, 'index-'));
  const lock = `${index}.lock`;
  const file = openLock(lock);
  try {
    const [copy, empty] = [join(folder, 'index'), join(folder, 'empty')];
    mkdirSync(empty);
    const before = statSync(index, { throwIfNoEntry: false });
    if (before !== undefined) copyFileSync(index, copy);
    const env = { GIT_INDEX_FILE: copy, GIT_DIR: gitFolder, GIT_WORK_TREE: empty };
    await runGit(context, ['update-index', '-z', '--index-info'], { cwd: empty, env, input });
    writeWhole(file, readFileSync(copy));
    if (before !== undefined) {
      chmodSync(lock, before.mode & 0o777);
      // Rounded down: an older time only makes git compare more files.
      futimesSync(file, before.atime, Math.floor(before.mtimeMs) / 1000);
    }
    fsyncSync(file);
    renameSync(lock, index);
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  } finally {
    closeSync(file);
    removeFolder(folder);
  }
}

function openLock(path: string): number {
  try {
    return openSync(path, 'wx', 0o644);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    throw new Fault('E_CONFLICT', `Another git command holds ${path}.`, {
      hint: 'Wait until it has finished. If none is running, remove the file.',
      details: { path },
      cause: error,
    });
  }
}
