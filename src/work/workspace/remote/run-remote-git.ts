import { Fault } from '../../../base/fault.ts';
import { rememberFor } from '../../../base/remember-for.ts';
import { runGit, type GitOptions, type GitResult } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** A host that does not respond must not block a worker: the connection times out within half a minute. */
const SSH = 'ssh -o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=10 -o ServerAliveCountMax=2';
/** A worker asks its remote many times for each item; settings of the account change rarely. */
const SETTINGS_MS = 30_000;
const HTTP = ['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=30'];

/**
 * Runs a git command that reaches a remote. It still starts no program that the repository names: credential helpers come from the
 * account's settings only, and hooks and ssh commands of the repository stay off.
 */
export async function runRemoteGit(
  context: Pick<WorkspaceContext, 'env'>,
  args: readonly string[],
  options: GitOptions,
): Promise<GitResult> {
  const helpers = await readHelpers(context, options.cwd);
  return runGit(context, [...helpers, '-c', 'core.sshCommand=ssh', ...HTTP, ...args], {
    ...options,
    env: {
      ...options.env,
      GIT_ALLOW_PROTOCOL: 'https:ssh:file',
      GIT_SSH_COMMAND: SSH,
      ...(context.env.SSH_AUTH_SOCK && { SSH_AUTH_SOCK: context.env.SSH_AUTH_SOCK }),
    },
  });
}

/** Like `runRemoteGit`, for callers that retry: every failure of git becomes E_NETWORK. */
export async function askRemote(
  context: Pick<WorkspaceContext, 'env'>,
  args: readonly string[],
  options: GitOptions,
): Promise<GitResult> {
  return runRemoteGit(context, args, options).catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error;
    throw new Fault('E_NETWORK', `The git remote cannot be used: ${error.message}`, {
      hint: 'Check the remote with "git ls-remote", then try again.',
      details: { reason: 'remote' },
      cause: error,
    });
  });
}

/** The credential helpers of the account, also those for one host, as arguments that restore them. */
const readHelpers = rememberFor(
  SETTINGS_MS,
  ({ env }: Pick<WorkspaceContext, 'env'>, root: string) =>
    JSON.stringify([root, env.HOME, env.XDG_CONFIG_HOME, env.GIT_CONFIG_GLOBAL]),
  listHelpers,
);

async function listHelpers(context: Pick<WorkspaceContext, 'env'>, root: string): Promise<readonly string[]> {
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
