import { Fault } from '../../base/fault.ts';
import { childEnvironment } from '../../system/child-environment.ts';
import { runCommandForBytes } from '../../system/run-command.ts';
import type { WorkspaceContext } from './workspace.ts';

export interface GitOptions {
  readonly cwd: string;
  readonly input?: string;
  /** A file descriptor for the output, so that git does not block until the output is read. */
  readonly toFile?: number;
  /** Exit codes that are valid results. */
  readonly accept?: readonly number[];
}

export interface GitResult {
  readonly exitCode: number;
  readonly output: Buffer;
}

/** The maximum part of git's stderr in a fault. */
const MAX_STDERR_BYTES = 2000;

/**
 * Runs git read-only: no locks, no refresh of the index, no helpers configured in the repository, no prompts. Root may read
 * repositories of other accounts.
 */
export async function runGit(
  context: Pick<WorkspaceContext, 'env'>,
  args: readonly string[],
  options: GitOptions,
): Promise<GitResult> {
  const { exitCode, stdout, stderr } = await runCommandForBytes(['git', ...args], {
    cwd: options.cwd,
    env: gitEnvironment(context),
    input: options.input,
    outputFile: options.toFile,
    maxOutputBytes: Number.POSITIVE_INFINITY,
  });
  if (exitCode !== null && [0, ...(options.accept ?? [])].includes(exitCode))
    return { exitCode, output: stdout };
  throw failed(args, exitCode, stderr.toString('utf8', 0, MAX_STDERR_BYTES));
}

/** The environment of git, outside and inside a sandbox. */
export function gitEnvironment(context: Pick<WorkspaceContext, 'env'>): Record<string, string> {
  return { ...childEnvironment(context.env), ...gitSettings() };
}

/** Settings for read-only git, as environment variables. */
export function gitSettings(): Record<string, string> {
  const settings: readonly (readonly [string, string])[] = [
    ['safe.directory', '*'],
    ['core.fsmonitor', 'false'],
    ['core.quotePath', 'false'],
  ];
  return {
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

function failed(args: readonly string[], exitCode: number | null, stderr: string): Fault {
  return new Fault('E_IO', `git ${args[0] ?? ''} failed: ${stderr.trim() || `exit ${exitCode}`}`, {
    hint: 'Run the same git command in this repository and fix its error.',
    details: { exit_code: exitCode },
  });
}
