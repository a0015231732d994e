import type { GatePolicy } from './gate-policy.ts';
import type { CommandTable } from './command.ts';
import type { Invocation } from './invocation.ts';
import type { ProgressItem } from './progress-item.ts';
import type { Reply } from './reply.ts';
import type { Tool } from './tool.ts';
import type { System } from './system.ts';

/** The output streams. Contract: a write writes everything or throws a system error such as EPIPE. */
export interface Output {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  readonly columns: number;
}

export interface DialectHost {
  readonly tool: Tool;
  readonly table: CommandTable;
  readonly system: System;
  readonly output: Output;
}

/** The interface of one executable: parses argv into a call and renders the reply as bytes and an exit code. */
export type Dialect = (argv: readonly string[], host: DialectHost) => DialectCall;

/** One call in a dialect. Output options are parsed leniently first, so that an invalid command line gets an answer in the requested format. */
export interface DialectCall {
  readonly gate: GatePolicy;
  /** Contract: throws a fault for an invalid command line; has no side effects. */
  readonly parse: () => Promise<Invocation>;
  readonly progress: (message: string) => void;
  /** Shows an item of long work, if standard error is a terminal. */
  readonly follow?: (item: ProgressItem) => boolean;
  readonly warn: (message: string) => void;
  /** Whether the call prints help, which a pager may close early; absent in dialects without help. */
  readonly isHelp?: () => boolean;
  /** Writes the reply and returns the exit code. */
  readonly render: (reply: Reply) => Promise<number>;
}
