import { runGit } from './git.ts';
import type { WorkspaceContext } from './workspace.ts';

/** Content is put in as it is: a filter of this account may not be there, and nobody reads what it would give. */
const NO_FILTER = ['-c', 'filter.lfs.clean=', '-c', 'filter.lfs.process=', '-c', 'filter.lfs.required=false'];

/**
 * Makes a restored folder a tree of its own, in which every file that is there counts as tracked: what was tracked although it is
 * ignored must be seen again.
 */
export async function makeTree(context: WorkspaceContext, folder: string): Promise<void> {
  const plain = { ...context, env: { ...context.env, HOME: folder, XDG_CONFIG_HOME: folder } };
  await runGit(plain, ['init', '-q', '--initial-branch=replay'], { cwd: folder });
  await runGit(plain, [...NO_FILTER, 'add', '--force', '--all', '.'], { cwd: folder });
}
