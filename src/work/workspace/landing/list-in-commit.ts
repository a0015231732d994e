import { runGit } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** Lists which of these files and folders a commit has. */
export async function listInCommit(
  context: Pick<WorkspaceContext, 'env'>,
  root: string,
  commit: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const args = ['ls-tree', '-z', '--name-only', '--full-tree', commit, '--', ...paths];
  return splitZero((await runGit(context, args, { cwd: root })).output);
}
