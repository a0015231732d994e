import { Fault } from '../../../base/fault.ts';
import { runGit } from '../git.ts';
import { runRemoteGit } from '../remote/run-remote-git.ts';
import type { WorkspaceContext } from '../workspace.ts';
import { branchRef } from './read-branch.ts';

/** The remote that a branch is pushed to. */
export interface Remote {
  readonly name: string;
  readonly url: string;
}

/** Reads the remote for pushes: `origin`, or the only remote. */
export async function readRemote(context: WorkspaceContext, root: string): Promise<Remote | undefined> {
  const { output } = await runGit(context, ['remote'], { cwd: root });
  const names = output.toString('utf8').split('\n').filter(Boolean);
  const name = names.includes('origin') ? 'origin' : names.length === 1 ? names[0] : undefined;
  if (name === undefined) return undefined;
  // As it is configured: git applies its rewriting of addresses when it pushes.
  for (const member of ['pushurl', 'url']) {
    const args = ['config', '--get', `remote.${name}.${member}`];
    const { exitCode, output: url } = await runGit(context, args, { cwd: root, accept: [1] });
    if (exitCode === 0) return { name, url: url.toString('utf8').trim() };
  }
  return undefined;
}

/** Pushes a branch. */
export async function pushBranch(
  context: WorkspaceContext,
  root: string,
  { remote, branch }: { remote: Remote; branch: string },
): Promise<void> {
  const ref = branchRef(branch);
  const args = ['push', '--no-verify', '--no-recurse-submodules', '--receive-pack=git-receive-pack'];
  await runRemoteGit(context, [...args, '--', remote.url, `${ref}:${ref}`], { cwd: root }).catch(
    (error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      throw new Fault('E_IO', `Cannot push ${branch} to ${remote.name}: ${error.message}`, {
        hint: `Push it yourself: git push ${remote.name} ${branch}`,
        details: { branch, remote: remote.name },
        cause: error,
      });
    },
  );
}
