import { Fault } from '../../base/fault.ts';
import { childEnvironment } from '../../system/child-environment.ts';
import { runCommandForBytes } from '../../system/run-command.ts';
import { findGitAccount } from './git-account.ts';
import { abortAtPipe } from './abort-at-pipe.ts';
import type { WorkspaceContext } from './workspace.ts';

export interface GitOptions {
  readonly cwd: string;
  readonly input?: string | Uint8Array;
  /** Variables in addition to the settings, such as the index file or the author of a commit. */
  readonly env?: Readonly<Record<string, string>>;
  /** A file descriptor for the output, so that git does not block until the output is read. */
  readonly toFile?: number;
  /** Exit codes that are valid results. */
  readonly accept?: readonly number[];
  /** What is kept of the output; all of it by default. */
  readonly maxOutputBytes?: number;
}

export interface GitResult {
  readonly exitCode: number;
  readonly output: Buffer;
}

/** The maximum part of git's stderr in a fault. */
const MAX_STDERR_BYTES = 2000;

/**
 * Runs git so that nothing in a repository can start a program or reach the network: no locks, no refresh of the index, no helpers,
 * filters, hooks or protocols, no fetching of missing objects, no prompts, and no object that would fill the memory.
 */
export async function runGit(
  context: Pick<WorkspaceContext, 'env'>,
  args: readonly string[],
  options: GitOptions,
): Promise<GitResult> {
  const account = findGitAccount(options.cwd, context.env.PATH ?? '');
  using pipe = abortAtPipe();
  const { exitCode, stdout, stderr } = await runCommandForBytes([...account.argv, 'git', ...args], {
    signal: pipe.signal,
    onStart: pipe.watch,
    cwd: options.cwd,
    env: {
      ...childEnvironment(context.env),
      ...gitSettings(account.safe),
      ...account.env,
      ...options.env,
    },
    input: options.input,
    outputFile: options.toFile,
    maxOutputBytes: options.maxOutputBytes ?? Number.POSITIVE_INFINITY,
  }).catch((error: unknown) => {
    throw pipe.signal.aborted ? pipeFault(args, options.cwd) : error;
  });
  if (exitCode !== null && [0, ...(options.accept ?? [])].includes(exitCode))
    return { exitCode, output: stdout };
  throw failed(args, exitCode, stderr.toString('utf8', 0, MAX_STDERR_BYTES));
}

/** The environment of git inside a sandbox, where it may belong to any account. */
export function confinedGitEnvironment(env: WorkspaceContext['env']): Record<string, string> {
  return { ...childEnvironment(env), ...gitSettings(['*']) };
}

/** Settings that override the settings of a repository; `safe` lists folders whose repository may belong to another account. */
export function gitSettings(safe: readonly string[]): Record<string, string> {
  const settings: readonly (readonly [string, string])[] = [
    ...safe.map((path) => ['safe.directory', path] as const),
    ['core.fsmonitor', 'false'],
    ['core.quotePath', 'false'],
    ['core.hooksPath', '/dev/null'],
    ['core.sshCommand', 'false'],
    ['core.gitProxy', 'false'],
    ['core.askPass', 'false'],
    ['core.pager', 'cat'],
    ['core.editor', 'false'],
    ['credential.helper', ''],
    ['diff.external', ''],
    ['gpg.program', 'false'],
    ['gpg.ssh.program', 'false'],
    ['gpg.x509.program', 'false'],
    ['log.showSignature', 'false'],
    ['push.gpgSign', 'false'],
    ['maintenance.auto', 'false'],
    ['gc.auto', '0'],
    ['submodule.recurse', 'false'],
    ['protocol.allow', 'never'],
    ['uploadpack.packObjectsHook', ''],
  ];
  return {
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // Overrides protocol.<name>.allow of the repository: no protocol is allowed, and missing objects are not fetched.
    GIT_ALLOW_PROTOCOL: '',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_NO_LAZY_FETCH: '1',
    // An object can claim any size; files above core.bigFileThreshold (512 MB) are streamed.
    GIT_ALLOC_LIMIT: '2g',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_EXTERNAL_DIFF: '',
    GIT_SSH_COMMAND: 'false',
    GIT_ASKPASS: 'false',
    GIT_PAGER: 'cat',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

function pipeFault(args: readonly string[], cwd: string): Fault {
  return new Fault('E_IO', `git ${args[0] ?? ''} was stopped: it waits for a named pipe in ${cwd}.`, {
    hint: `A file that git reads is a pipe. Find it with: find ${cwd} -type p`,
    details: { path: cwd },
  });
}

function failed(args: readonly string[], exitCode: number | null, stderr: string): Fault {
  return new Fault('E_IO', `git ${args[0] ?? ''} failed: ${stderr.trim() || `exit ${exitCode}`}`, {
    hint: 'Run the same git command in this repository and fix its error.',
    details: { exit_code: exitCode },
  });
}
