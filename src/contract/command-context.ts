import type { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import type { Caller } from './caller.ts';
import type { Home } from './home.ts';
import type { Notice } from './reply.ts';
import type { GatePolicy } from './run-write.ts';
import type { CommandTable } from './command-table.ts';
import type { Tool } from './tool.ts';
import type { System } from './system.ts';

/** What a command is given to work with. */
export interface CommandContext {
  readonly tool: Tool;
  readonly table: CommandTable;
  readonly system: System;
  readonly home: Home;
  readonly caller: Caller;
  /** Aborts on SIGINT, SIGTERM and SIGHUP; long work must unwind and throw when it does. */
  readonly signal: AbortSignal;
  /** Tells people how long work goes on; standard error only, silent with `--quiet`. */
  readonly progress: (message: string) => void;
  /** Gives a line of a streamed write to the caller at once; does nothing where the caller asked for one answer. */
  readonly emit: (item: JsonObject) => void;
  /** Tells of something that went wrong without stopping the command; never silent. */
  readonly warn: (message: string) => void;
  /** What was warned of so far; the audit line tells it too. */
  readonly warnings: readonly string[];
  /** Says what to answer for the command if the process must end before it came to rest. */
  readonly lastWords: (tell: () => Fault) => void;
  /** Takes what to do once the call is answered, such as closing a file, where the process goes on afterwards. */
  readonly cleanUp: (action: () => void) => void;
  /** Notices known without asking anyone. */
  readonly notices: () => readonly Notice[];
  readonly dryRun: boolean;
  readonly requestId: string | undefined;
  /** What a write of this call must show. */
  readonly gate: GatePolicy;
}
