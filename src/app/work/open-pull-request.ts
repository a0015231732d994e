import { tmpdir } from 'node:os';
import { Fault } from '../../base/fault.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import type { CommandContext } from '../../contract/command.ts';
import { childEnvironment } from '../../system/child-environment.ts';
import { runCommand, type CommandOutcome } from '../../system/run-command.ts';
import type { Job } from '../../work/plan/job.ts';
import { pushBranch, readRemote, type Remote } from '../../work/workspace/landing/push-branch.ts';
import { workspaceContext } from './open-work-context.ts';

/** The result of opening a pull request for a branch. */
export interface PullRequest {
  readonly url: string | null;
  /** What to run if no pull request was opened. */
  readonly commands: string[];
  readonly problem: string | null;
}

/** A program that opens pull requests, with its own sign-in. */
interface Host {
  readonly program: 'gh' | 'glab';
  readonly create: (repository: string, branch: string, text: Text) => readonly string[];
}

interface Text {
  readonly title: string;
  readonly body: string;
}

const GITHUB: Host = {
  program: 'gh',
  create: (repository, branch, { title, body }) => [
    'pr',
    'create',
    '--repo',
    repository,
    '--head',
    branch,
    '--title',
    title,
    '--body',
    body,
  ],
};
const GITLAB: Host = {
  program: 'glab',
  create: (repository, branch, { title, body }) => [
    'mr',
    'create',
    '--repo',
    repository,
    '--source-branch',
    branch,
    '--title',
    title,
    '--description',
    body,
    '--yes',
  ],
};

/** From these variables `gh` and `glab` read their sign-in and their host. */
const SIGN_IN_VARIABLES = [
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GH_HOST',
  'GH_CONFIG_DIR',
  'GITLAB_TOKEN',
  'GITLAB_HOST',
  'GLAB_CONFIG_DIR',
];
const TIMEOUT_MS = 120_000;

/**
 * Opens a pull request for the branch of a job, if the caller asked for it and gh or glab is signed in; otherwise returns the commands
 * to run. The branch has landed before, so a problem here is reported and fails nothing. Undefined if the repository has no remote.
 */
export async function openPullRequest(
  context: CommandContext,
  job: Job,
  asked: boolean,
): Promise<PullRequest | undefined> {
  const workspace = workspaceContext(context);
  const remote = await readRemote(workspace, job.root);
  const branch = job.branch ?? '';
  if (remote === undefined)
    return asked ? { url: null, commands: [], problem: 'The repository has no remote.' } : undefined;
  const { host, repository } = findHost(remote);
  const text = { title: titleOf(job), body: `Work of deed, job ${job.id}.` };
  const create = host?.create(repository, branch, text) ?? [];
  const commands = [
    ['git', 'push', remote.name, branch],
    ...(host === undefined ? [] : [[host.program, ...create]]),
  ].map((words) => words.map(quoteForShell).join(' '));
  if (!asked) return { url: null, commands, problem: null };
  try {
    if (host === undefined) return { url: null, commands, problem: `Unknown host of ${remote.url}.` };
    const signedIn = await runHost(context, [host.program, 'auth', 'status']);
    if (signedIn.exitCode !== 0)
      return { url: null, commands, problem: `${host.program} is not signed in: ${host.program} auth login` };
    await pushBranch(workspace, job.root, { remote, branch });
    const { exitCode, stdout, stderr } = await runHost(context, [host.program, ...create]);
    const url = /https?:\/\/\S+/u.exec(stdout)?.[0];
    if (exitCode === 0 && url !== undefined) return { url, commands: [], problem: null };
    return {
      url: null,
      commands: commands.slice(1),
      problem: `${host.program} failed: ${stderr.trim().slice(0, 500)}`,
    };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { url: null, commands, problem: error.message };
  }
}

function titleOf({ items, id }: Job): string {
  const [first, ...more] = items;
  if (first === undefined || more.length > 0) return `Work of ${id}: ${items.length} items`;
  return (first.description.trim().split('\n')[0] ?? first.id).slice(0, 72);
}

/** The program and the repository behind the address of a remote; the program is undefined for other hosts. */
function findHost({ url }: Remote): { readonly host: Host | undefined; readonly repository: string } {
  const [, host = '', path = ''] =
    /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/(?:[^@/]*@)?|[^@/:]+@)([^/:]+)(?::\d+)?[/:](.+)$/u.exec(url) ?? [];
  const repository = `${host}/${path.replace(/\.git$/u, '').replace(/\/$/u, '')}`;
  if (host.includes('github')) return { host: GITHUB, repository };
  return { host: host.includes('gitlab') ? GITLAB : undefined, repository };
}

/** Runs the program outside the repository, whose settings could start others. */
async function runHost({ system }: CommandContext, argv: readonly string[]): Promise<CommandOutcome> {
  const extra = Object.fromEntries(SIGN_IN_VARIABLES.map((name) => [name, system.env[name]]));
  return runCommand(argv, { cwd: tmpdir(), env: childEnvironment(system.env, extra), timeoutMs: TIMEOUT_MS });
}
