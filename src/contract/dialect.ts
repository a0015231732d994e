import type { GatePolicy } from './gate-policy.ts';
import type { CommandTable } from './command.ts';
import type { Invocation } from './invocation.ts';
import type { Reply } from './reply.ts';
import type { Tool } from './tool.ts';
import type { System } from './system.ts';

/** Where bytes go. Contract: writing takes everything or throws a system error such as EPIPE. */
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

/** How one executable speaks: it reads argv into a call and turns the reply into bytes and an exit code. */
export type Dialect = (argv: readonly string[], host: DialectHost) => DialectCall;

/** One call in a dialect. Output options are read leniently first, so that even a bad command line is answered in form. */
export interface DialectCall {
  readonly gate: GatePolicy;
  /** Contract: throws a fault for a line it cannot read; has no side effects. */
  readonly parse: () => Promise<Invocation>;
  readonly progress: (message: string) => void;
  readonly warn: (message: string) => void;
  /** Tells whether a person asked for help, who may stop reading anywhere; absent where nobody can. */
  readonly isHelp?: () => boolean;
  /** Writes the reply and returns the exit code. */
  readonly render: (reply: Reply) => Promise<number>;
}
