import { runGit } from './git.ts';
import type { WorkspaceContext } from './workspace.ts';

/** Adds content unchanged: the account's LFS filter may be missing, and its output is not needed. */
const NO_FILTER = ['-c', 'filter.lfs.clean=', '-c', 'filter.lfs.process=', '-c', 'filter.lfs.required=false'];

/** The objects are removed with the folder soon: compressing large files takes five times as long as hashing them. */
const NO_COMPRESSION = ['-c', 'core.compression=0'];

/**
 * Makes a restored folder a git tree in which every file is tracked, including files that match an ignore rule but were tracked
 * before.
 */
export async function initReplayTree(context: WorkspaceContext, folder: string): Promise<void> {
  const plain = { ...context, env: { ...context.env, HOME: folder, XDG_CONFIG_HOME: folder } };
  await runGit(plain, ['init', '-q', '--initial-branch=replay'], { cwd: folder });
  await runGit(plain, [...NO_FILTER, ...NO_COMPRESSION, 'add', '--force', '--all', '.'], { cwd: folder });
}
