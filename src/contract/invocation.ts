import type { Command } from './command.ts';

/** One call as a dialect understood it: the command, its parameters, and the flags that every command has. */
export interface Invocation {
  readonly command: Command;
  /** As given; validated by `execute`. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly fields: readonly string[] | undefined;
  readonly dryRun: boolean;
  readonly confirm: string | undefined;
  readonly dangerous: boolean;
  readonly continueOnError: boolean | undefined;
  readonly requestId: string | undefined;
  /** Who calls, where the dialect lets the caller say so; it counts more than what the environment tells. */
  readonly agent?: string | undefined;
}

/** A call of a command without parameters and flags, such as a description of the tool. */
export function plainInvocation(command: Command): Invocation {
  return {
    command,
    params: {},
    fields: undefined,
    dryRun: false,
    confirm: undefined,
    dangerous: false,
    continueOnError: undefined,
    requestId: undefined,
  };
}
