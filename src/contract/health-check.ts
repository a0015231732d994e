import type { CommandContext } from './command.ts';

export type CheckStatus = 'pass' | 'warn' | 'fail';

/** One result of doctor; a warning or failure has a fix. */
export interface Check {
  readonly check: string;
  readonly status: CheckStatus;
  readonly message: string;
  readonly fix: string | null;
}

export interface CheckOptions {
  /** Whether programs may be started and network requests made. */
  readonly deep: boolean;
}

/** Checks one thing. Contract: must not change anything; may throw, which counts as a failed check. */
export type Checker = (context: CommandContext, options: CheckOptions) => Check | Promise<Check>;

export function pass(check: string, message: string): Check {
  return { check, status: 'pass', message, fix: null };
}

export function warn(check: string, message: string, fix: string): Check {
  return { check, status: 'warn', message, fix };
}

export function fail(check: string, message: string, fix: string): Check {
  return { check, status: 'fail', message, fix };
}
