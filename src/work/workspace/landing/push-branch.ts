import { Fault } from '../../../base/fault.ts';
import { runGit } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import type { WorkspaceContext } from '../workspace.ts';
import { branchRef } from './read-branch.ts';

/** The remote that a branch is pushed to. */
export interface Remote {
  readonly name: string;
  readonly url: string;
}

/** Reads the remote for pushes: `origin`, or the only one. */
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

/**
 * Pushes a branch. Git may reach the network here, but still starts no program that the repository names: credential helpers come from
 * the account's settings only, and hooks and ssh commands of the repository stay off.
 */
export async function pushBranch(
  context: WorkspaceContext,
  root: string,
  { remote, branch }: { remote: Remote; branch: string },
): Promise<void> {
  const helpers = await readHelpers(context, root);
  const ref = branchRef(branch);
  const args = ['push', '--no-verify', '--no-recurse-submodules', '--receive-pack=git-receive-pack'];
  await runGit(
    context,
    [...helpers, '-c', 'core.sshCommand=ssh', ...args, '--', remote.url, `${ref}:${ref}`],
    {
      cwd: root,
      env: {
        GIT_ALLOW_PROTOCOL: 'https:ssh:file',
        GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
        ...(context.env.SSH_AUTH_SOCK && { SSH_AUTH_SOCK: context.env.SSH_AUTH_SOCK }),
      },
    },
  ).catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error;
    throw new Fault('E_IO', `Cannot push ${branch} to ${remote.name}: ${error.message}`, {
      hint: `Push it yourself: git push ${remote.name} ${branch}`,
      details: { branch, remote: remote.name },
      cause: error,
    });
  });
}

/** The credential helpers of the account, also those for one host, as arguments that restore them. */
async function readHelpers(context: WorkspaceContext, root: string): Promise<readonly string[]> {
  const { output } = await runGit(
    context,
    ['config', '--global', '-z', '--get-regexp', '^credential\\.(.*\\.)?helper$'],
    { cwd: root, accept: [1, 128] },
  );
  return splitZero(output).flatMap((line) => {
    const [name = '', ...value] = line.split('\n');
    return ['-c', `${name}=${value.join('\n')}`];
  });
}
