import { runGit } from './git.ts';
import type { WorkspaceContext } from './workspace.ts';

/** Creates a repository whose first commit contains everything in the folder, regardless of the account's git configuration. */
export async function createRepository(
  context: Pick<WorkspaceContext, 'env'>,
  folder: string,
  author: { readonly name: string; readonly email: string },
): Promise<void> {
  const plain = { env: { ...context.env, HOME: folder, XDG_CONFIG_HOME: folder } };
  const identity = ['-c', `user.name=${author.name}`, '-c', `user.email=${author.email}`];
  await runGit(plain, ['init', '-q', '--initial-branch=main'], { cwd: folder });
  await runGit(plain, ['add', '--all', '.'], { cwd: folder });
  await runGit(plain, [...identity, '-c', 'commit.gpgsign=false', 'commit', '-q', '-m', 'first'], {
    cwd: folder,
  });
}
