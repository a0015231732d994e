import type { JsonObject } from '../base/json.ts';
import type { Paint } from '../base/paint.ts';
import type { Fault } from '../base/fault.ts';
import type { Caller } from './caller.ts';
import type { DescribedCommand, ParametersOf } from './described-command.ts';
import type { GatePolicy } from './gate-policy.ts';
import type { Home } from './home.ts';
import type { Change, Plan } from './plan.ts';
import type { Notice } from './reply.ts';
import type { OutputOf, Schema, Shape } from './schema.ts';
import type { System } from './system.ts';
import type { Tool } from './tool.ts';

/**
 * Words used here:
 * - a *command* is one leaf of the tool, such as `config set`;
 * - its *effect* says whether it changes anything; its *gate* says what a caller must show first;
 * - a *plan* lists the changes a write would make, with the versions they rest on; it never changes anything;
 * - a *batch* does one thing to many targets under one plan and one token.
 */
export type Effect = 'read' | 'write';

/** `confirm`: a token from a dry run. `dangerous`: that and `--dangerous`. `exempt`: a write that guards itself. */
export type Gate = 'none' | 'confirm' | 'dangerous' | 'exempt';

export interface ReadCommand<S extends Shape = Shape, O = unknown> extends DescribedCommand<S> {
  readonly kind: 'read';
  readonly output: Schema<O>;
  /** The order of `items`, for commands that page. */
  readonly sort?: string;
  readonly run: (params: ParametersOf<S>, context: CommandContext) => Promise<O>;
  readonly renderText?: (data: O, paint: Paint) => string;
  /** Bytes for `--format raw`; commands without it refuse that format. */
  readonly renderRaw?: (data: O) => string;
}

export interface StreamCommand<S extends Shape = Shape, I = unknown> extends DescribedCommand<S> {
  readonly kind: 'stream';
  readonly item: Schema<I>;
  readonly sort?: string;
  /** Yields items; the kernel adds the summary line. */
  readonly run: (params: ParametersOf<S>, context: CommandContext) => AsyncIterable<I>;
  /** Shows one item to a person; what a stream tells this way ends without the summary line. */
  readonly renderText?: (item: I, paint: Paint) => string;
}

export interface WriteCommand<
  S extends Shape = Shape,
  O = unknown,
  P extends Plan = Plan,
> extends DescribedCommand<S> {
  readonly kind: 'write';
  readonly output: Schema<O>;
  readonly gate: 'confirm' | 'dangerous';
  /**
   * Contract: a command with this keeps its own answers to request ids, in the transaction of its write: `run` stores and replays
   * them, and a call that needs no token goes to `run` without a plan. Reads only; gives the stored answer, or nothing when the
   * id is new.
   */
  readonly recall?: (params: ParametersOf<S>, context: CommandContext) => Promise<JsonObject | undefined>;
  /** The database that a call works on, as a whole path; bound into its token. */
  readonly database?: (params: ParametersOf<S>, context: CommandContext) => string;
  /** Set where `run` does not use its plan: a call that needs no token then goes to `run` without one. */
  readonly runsWithoutPlan?: true;
  /** Contract: reads only. The same state must give the same plan, since the token binds it. */
  readonly plan: (params: ParametersOf<S>, context: CommandContext) => Promise<P>;
  /** Contract: the state may have moved since the plan; check versions again inside the write's own lock. */
  readonly run: (params: ParametersOf<S>, context: CommandContext, plan: P) => Promise<O>;
  readonly renderText?: (data: O, paint: Paint) => string;
  /** Whether these parameters ask for a stream: lines as `run` emits them, and its result as the last of them. */
  readonly streams?: (params: ParametersOf<S>) => boolean;
}

/** A write that guards itself and asks for no token; `update` is the only one. */
export interface ExemptCommand<S extends Shape = Shape, O = unknown> extends DescribedCommand<S> {
  readonly kind: 'exempt';
  readonly output: Schema<O>;
  readonly run: (params: ParametersOf<S>, context: CommandContext) => Promise<O>;
  readonly renderText?: (data: O, paint: Paint) => string;
}

export interface BatchCommand<
  S extends Shape = Shape,
  R extends JsonObject = JsonObject,
> extends DescribedCommand<S> {
  readonly kind: 'batch';
  readonly gate: 'confirm' | 'dangerous';
  /** The plural parameter that names the targets. */
  readonly targets: keyof S & string;
  readonly action: string;
  readonly continueOnError?: boolean;
  /** How many targets the upstream takes in one call; 1 means a loop over single calls. */
  readonly chunkSize?: number;
  /** What a succeeded item tells beyond `target` and `ok`. */
  readonly itemOutput?: Shape;
  /** Contract: reads only; one change a target, in order. A target that cannot be resolved is a `Fault` in its place. */
  readonly plan: (params: ParametersOf<S>, context: CommandContext) => Promise<readonly (Change | Error)[]>;
  /** Contract: applies one chunk and returns one outcome a change, in order; throwing fails the whole chunk. */
  readonly apply: (
    changes: readonly Change[],
    params: ParametersOf<S>,
    context: CommandContext,
  ) => Promise<readonly (R | Error)[]>;
}

export type Command = ReadCommand | StreamCommand | WriteCommand | ExemptCommand | BatchCommand;

// A command takes its context and the context holds the table of commands: these types refer to each other, so they share a file.

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
  readonly notices: () => Promise<readonly Notice[]>;
  readonly dryRun: boolean;
  readonly requestId: string | undefined;
  /** What a write of this call must show. */
  readonly gate: GatePolicy;
}

/** The commands of a tool by their path, in the order in which they are shown. */
export interface CommandTable {
  readonly paths: readonly string[];
  readonly has: (path: string) => boolean;
  readonly load: (path: string) => Promise<Command>;
  readonly loadAll: () => Promise<readonly Command[]>;
}

/** What a caller writes to define a command: the data types follow from the schemas. */
type ReadDefinition<S extends Shape, T extends Schema> = Omit<
  ReadCommand<S, OutputOf<T>>,
  'kind' | 'output'
> & {
  readonly output: T;
};
type StreamDefinition<S extends Shape, T extends Schema> = Omit<
  StreamCommand<S, OutputOf<T>>,
  'kind' | 'item'
> & {
  readonly item: T;
};
type WriteDefinition<S extends Shape, T extends Schema, P extends Plan> = Omit<
  WriteCommand<S, OutputOf<T>, P>,
  'kind' | 'gate' | 'output'
> & { readonly output: T; readonly gate?: 'confirm' | 'dangerous' };
type ExemptDefinition<S extends Shape, T extends Schema> = Omit<
  ExemptCommand<S, OutputOf<T>>,
  'kind' | 'output'
> & {
  readonly output: T;
};
type BatchDefinition<S extends Shape, R extends JsonObject> = Omit<BatchCommand<S, R>, 'kind' | 'gate'> & {
  readonly gate?: 'confirm' | 'dangerous';
};

// The kernel handles every command alike, so the types of its parameters are forgotten here, once, after they were checked.

/** Defines a query. */
export function defineRead<const S extends Shape, T extends Schema>(command: ReadDefinition<S, T>): Command {
  return complete(command, { kind: 'read' });
}

/** Defines a query whose answer is a stream of lines. */
export function defineStream<const S extends Shape, T extends Schema>(
  command: StreamDefinition<S, T>,
): Command {
  return complete(command, { kind: 'stream' });
}

/** Defines a write on one thing, behind dry run and confirm. */
export function defineWrite<const S extends Shape, T extends Schema, P extends Plan>(
  command: WriteDefinition<S, T, P>,
): Command {
  return complete(command, { kind: 'write', gate: 'confirm' });
}

/** Defines a write that guards itself. */
export function defineExempt<const S extends Shape, T extends Schema>(
  command: ExemptDefinition<S, T>,
): Command {
  return complete(command, { kind: 'exempt' });
}

/** Defines a write on many targets under one plan and one token. */
export function defineBatch<const S extends Shape, R extends JsonObject>(
  command: BatchDefinition<S, R>,
): Command {
  return complete(command, { kind: 'batch', gate: 'confirm' });
}

/** Adds what the author left out. A getter stays one: few calls look at an output schema, and making it takes a while. */
function complete(definition: object, defaults: Pick<Command, 'kind'> & { readonly gate?: Gate }): Command {
  return Object.defineProperties({ ...defaults }, Object.getOwnPropertyDescriptors(definition)) as Command;
}

export function effectOf(command: Command): Effect {
  return command.kind === 'read' || command.kind === 'stream' ? 'read' : 'write';
}

export function gateOf(command: Command): Gate {
  if (command.kind === 'write' || command.kind === 'batch') return command.gate;
  return command.kind === 'exempt' ? 'exempt' : 'none';
}
