import { Fault } from '../../base/fault.ts';
import { childEnvironment } from '../../system/child-environment.ts';
import { runCommandForBytes } from '../../system/run-command.ts';
import type { WorkspaceContext } from './workspace.ts';

export interface GitOptions {
  readonly cwd: string;
  readonly input?: string;
  /** A descriptor that takes the output, so that git never waits for us to read. */
  readonly toFile?: number;
  /** Exit codes that are answers and not failures. */
  readonly accept?: readonly number[];
}

export interface GitAnswer {
  readonly exitCode: number;
  readonly output: Buffer;
}

/** How much of git's complaint a fault tells. */
const COMPLAINT_BYTES = 2000;

/**
 * Runs git so that it only looks: no lock, no refresh of the index, no helper that the repository names, no prompt. Root may look
 * into another account's repository.
 */
export async function runGit(
  context: Pick<WorkspaceContext, 'env'>,
  args: readonly string[],
  options: GitOptions,
): Promise<GitAnswer> {
  const { exitCode, stdout, stderr } = await runCommandForBytes(['git', ...args], {
    cwd: options.cwd,
    env: gitEnvironment(context),
    input: options.input,
    outputFile: options.toFile,
    maxOutputBytes: Number.POSITIVE_INFINITY,
  });
  if (exitCode !== null && [0, ...(options.accept ?? [])].includes(exitCode))
    return { exitCode, output: stdout };
  throw failed(args, exitCode, stderr.toString('utf8', 0, COMPLAINT_BYTES));
}

/** What git is started with, outside a sandbox and inside. */
export function gitEnvironment(context: Pick<WorkspaceContext, 'env'>): Record<string, string> {
  return { ...childEnvironment(context.env), ...gitSettings() };
}

/** The settings by which git only looks, as the environment gives them. */
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

function failed(args: readonly string[], exitCode: number | null, complaint: string): Fault {
  return new Fault('E_IO', `git ${args[0] ?? ''} failed: ${complaint.trim() || `exit ${exitCode}`}`, {
    hint: 'Run the same git command in this repository; it must work there first.',
    details: { exit_code: exitCode },
  });
}
