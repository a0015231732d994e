import { Fault } from '../../../base/fault.ts';
import { runGit } from '../git.ts';
import type { WorkspaceContext } from '../workspace.ts';
import type { Identity } from '../objects/commit-object.ts';

const NAMES = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];

/** The person in whose name git commits here: from the environment or from git's settings, never guessed from the host name. */
export async function readIdentity(context: WorkspaceContext, root: string): Promise<Identity> {
  const env = Object.fromEntries(
    NAMES.flatMap((name) => (context.env[name] ? [[name, context.env[name]] as const] : [])),
  );
  const { exitCode, output } = await runGit(
    context,
    ['-c', 'user.useConfigOnly=true', 'var', 'GIT_AUTHOR_IDENT'],
    { cwd: root, env, accept: [128] },
  );
  const [, name, email] = /^(.*) <(.*)> \d+ [+-]\d{4}$/u.exec(output.toString('utf8').trim()) ?? [];
  if (exitCode === 0 && name && email) return { name, email };
  throw new Fault('E_CONFIG', 'Git has no name and email for commits here.', {
    hint: 'Set them: git config --global user.name "Your Name" && git config --global user.email you@example.org',
    details: { path: root },
  });
}
