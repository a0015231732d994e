import type { Command } from './command.ts';

/** One parsed call: the command, its parameters and the global flags. */
export interface Invocation {
  readonly command: Command;
  /** Not validated yet; `execute` does that. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly fields: readonly string[] | undefined;
  readonly dryRun: boolean;
  readonly confirm: string | undefined;
  readonly dangerous: boolean;
  readonly continueOnError: boolean | undefined;
  readonly requestId: string | undefined;
  /** The agent, in dialects with a flag for it, or null for a person; takes precedence over the environment. */
  readonly agent?: string | null | undefined;
  /** The session of the agent, for a server with several clients; the environment takes precedence. */
  readonly session?: string | undefined;
}

/** A call without parameters and flags, such as a description of the tool. */
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
