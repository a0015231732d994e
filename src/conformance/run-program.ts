import { spawnSync } from 'node:child_process';

/** A program under test. */
export interface Program {
  /** What starts it: the executable and its first arguments. */
  readonly command: readonly [string, ...string[]];
  readonly cwd?: string;
  /** The whole environment of the program, with a separate home folder. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ProgramRun {
  readonly argv: readonly string[];
  readonly exit: number | null;
  readonly stdout: string;
}

// The answers of a program under test have any shape.
// eslint-disable-next-line typescript/no-explicit-any
export type Answer = any;

const TIMEOUT_MS = 60_000;

/** Runs one call without a terminal and without input, as an agent does. */
export function runProgram({ command, cwd, env }: Program, argv: readonly string[]): ProgramRun {
  const [file, ...first] = command;
  const { status, stdout, error } = spawnSync(file, [...first, ...argv], {
    cwd,
    env: { ...env },
    input: '',
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: 256 * 1024 * 1024,
  });
  if (error !== undefined && stdout === '') throw error;
  return { argv, exit: status, stdout };
}

export function parseAnswer({ stdout }: ProgramRun): Answer {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}
