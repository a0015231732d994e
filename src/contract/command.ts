import type { JsonObject } from '../base/json.ts';
import type { Paint } from '../base/paint.ts';
import type { Caller } from './caller.ts';
import type { DescribedCommand, ParametersOf } from './described-command.ts';
import type { GatePolicy } from './gate-policy.ts';
import type { Home } from './home.ts';
import type { Change, Plan } from './plan.ts';
import type { ProgressItem } from './progress-item.ts';
import type { OnForcedExit } from './on-forced-exit.ts';
import type { Notice } from './reply.ts';
import { describedMembers, type OutputOf, type Schema, type Shape } from './schema.ts';
import type { System } from './system.ts';
import type { TextRendering } from './text-rendering.ts';
import type { Tool } from './tool.ts';

/**
 * Terminology:
 * - a *command* is one leaf of the tool, such as `config set`;
 * - its *effect* is read or write; its *gate* is what a caller must pass before a write;
 * - a *plan* lists the changes a write would make, with the versions they depend on; planning changes nothing;
 * - a *batch* applies one action to many targets with one plan and one token.
 */
export type Effect = 'read' | 'write';

/** `confirm`: a token from a dry run. `dangerous`: that and `--dangerous`. `exempt`: a write with its own checks. */
export type Gate = 'none' | 'confirm' | 'dangerous' | 'exempt';

export interface ReadCommand<S extends Shape = Shape, O = unknown>
  extends DescribedCommand<S>, TextRendering<O> {
  readonly kind: 'read';
  readonly output: Schema<O>;
  /** The order of `items`, for commands that page. */
  readonly sort?: string;
  readonly run: (params: ParametersOf<S>, context: CommandContext) => Promise<O>;
  /** Bytes for `--format raw`; commands without it reject that format. */
  readonly renderRaw?: (data: O) => string;
}

export interface StreamCommand<S extends Shape = Shape, I = unknown> extends DescribedCommand<S> {
  readonly kind: 'stream';
  readonly item: Schema<I>;
  readonly sort?: string;
  /** Yields items; the kernel adds the summary line. */
  readonly run: (params: ParametersOf<S>, context: CommandContext) => AsyncIterable<I>;
  /** Renders one item as text; a stream in this format has no summary line. */
  readonly renderText?: (item: I, paint: Paint) => string;
}

export interface WriteCommand<S extends Shape = Shape, O = unknown, P extends Plan = Plan>
  extends DescribedCommand<S>, TextRendering<O> {
  readonly kind: 'write';
  readonly output: Schema<O>;
  readonly gate: 'confirm' | 'dangerous';
  /**
   * Contract: a command with this stores its own answers by request id, in the transaction of its write: `run` stores and
   * replays them, and a call that needs no token goes to `run` without a plan. Reads only; returns the stored answer, or
   * undefined when the id is new.
   */
  readonly recall?: (params: ParametersOf<S>, context: CommandContext) => Promise<JsonObject | undefined>;
  /** The absolute path of the database that a call uses; bound into its token. */
  readonly database?: (params: ParametersOf<S>, context: CommandContext) => string;
  /** Set when `run` does not use its plan: a call that needs no token is then not planned. */
  readonly runsWithoutPlan?: true;
  /** Contract: reads only. The same state must give the same plan, since the token binds it. */
  readonly plan: (params: ParametersOf<S>, context: CommandContext) => Promise<P>;
  /** Contract: the state may have changed since the plan; check versions again inside the write's own lock. */
  readonly run: (params: ParametersOf<S>, context: CommandContext, plan: P) => Promise<O>;
  /** Whether these parameters request a stream: the lines that `run` emits, then its result as the last line. */
  readonly streams?: (params: ParametersOf<S>) => boolean;
}

/** A write with its own checks that needs no token; only `update` is of this kind. */
export interface ExemptCommand<S extends Shape = Shape, O = unknown>
  extends DescribedCommand<S>, TextRendering<O> {
  readonly kind: 'exempt';
  readonly output: Schema<O>;
  readonly run: (params: ParametersOf<S>, context: CommandContext) => Promise<O>;
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
  /** How many targets the upstream accepts in one call; 1 means one call per target. */
  readonly chunkSize?: number;
  /** The fields of a successful item besides `target` and `ok`. */
  readonly itemOutput?: Shape;
  /** Contract: reads only; returns one change per target, in order, or a `Fault` for a target that cannot be resolved. */
  readonly plan: (params: ParametersOf<S>, context: CommandContext) => Promise<readonly (Change | Error)[]>;
  /** Contract: applies one chunk and returns one outcome per change, in order; throwing fails the whole chunk. */
  readonly apply?: (
    changes: readonly Change[],
    params: ParametersOf<S>,
    context: CommandContext,
  ) => Promise<readonly (R | Error)[]>;
  readonly whole?: WholeBatch<S>;
}

/** A batch that applies all its changes itself, because they share limits. Their ids are its targets; the parameter may be absent. */
export interface WholeBatch<S extends Shape = Shape> {
  /** Has at least the members of every batch: `items` and `summary`. */
  readonly output: Schema;
  /** Contract: reports every attempted target in the order of the changes, and the others as skipped. */
  readonly apply: (
    changes: readonly Change[],
    params: ParametersOf<S>,
    context: CommandContext,
    options: { readonly continueOnError: boolean },
  ) => Promise<JsonObject>;
}

export type Command = ReadCommand | StreamCommand | WriteCommand | ExemptCommand | BatchCommand;

// A command receives its context, and the context contains the table of commands: these types are recursive, so they share a file.

/** The context that a command runs in. */
export interface CommandContext {
  readonly tool: Tool;
  readonly table: CommandTable;
  readonly system: System;
  readonly home: Home;
  readonly caller: Caller;
  /**
   * Aborts on SIGINT, SIGTERM and SIGHUP; long work must unwind and throw when it does. The result of an interrupted read or
   * stream is discarded; a write that was completed nevertheless returns its result.
   */
  readonly signal: AbortSignal;
  /** Prints progress to standard error; disabled by `--quiet`. */
  readonly progress: (message: string) => void;
  /** Shows an item of long work as a line that changes. Returns false, and shows nothing, where standard error is not a terminal. */
  readonly follow: (item: ProgressItem) => boolean;
  /** Sends a line of a streamed write to the caller immediately; does nothing when the caller requested a single answer. */
  readonly emit: (item: JsonObject) => void;
  /** Prints a warning about a problem that does not stop the command; not disabled by `--quiet`. */
  readonly warn: (message: string) => void;
  /** The first warnings; they are also in the audit line. */
  readonly warnings: readonly string[];
  /** Sets the answer of the command for the case that the process is forced to exit before the command finishes. */
  readonly onForcedExit: OnForcedExit;
  /** Registers an action for after the answer, such as closing a file, for processes that keep running. */
  readonly cleanUp: (action: () => void) => void;
  /** Notices that are known without a network request. */
  readonly notices: () => Promise<readonly Notice[]>;
  readonly dryRun: boolean;
  readonly requestId: string | undefined;
  /** What a write of this call requires. */
  readonly gate: GatePolicy;
}

/** The commands of a tool by path, in display order. */
export interface CommandTable {
  readonly paths: readonly string[];
  readonly has: (path: string) => boolean;
  readonly load: (path: string) => Promise<Command>;
  readonly loadAll: () => Promise<readonly Command[]>;
}

/** The definition of a command: its data types are inferred from the schemas. */
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
type BatchBase<S extends Shape, R extends JsonObject> = Omit<
  BatchCommand<S, R>,
  'kind' | 'gate' | 'apply' | 'whole'
> & { readonly gate?: 'confirm' | 'dangerous' };
type BatchDefinition<S extends Shape, R extends JsonObject> = BatchBase<S, R> & {
  readonly apply: NonNullable<BatchCommand<S, R>['apply']>;
};
type WholeBatchDefinition<S extends Shape> = Omit<BatchBase<S, JsonObject>, 'chunkSize' | 'itemOutput'> & {
  readonly whole: WholeBatch<S>;
};

// The kernel handles all commands alike, so the parameter types are erased here, after they were checked.

/** Defines a query. */
export function defineRead<const S extends Shape, T extends Schema>(command: ReadDefinition<S, T>): Command {
  return complete(command, { kind: 'read' });
}

/** Defines a query that returns a stream of lines. */
export function defineStream<const S extends Shape, T extends Schema>(
  command: StreamDefinition<S, T>,
): Command {
  return complete(command, { kind: 'stream' });
}

/** Defines a write on one target, with dry run and confirm token. */
export function defineWrite<const S extends Shape, T extends Schema, P extends Plan>(
  command: WriteDefinition<S, T, P>,
): Command {
  return complete(command, { kind: 'write', gate: 'confirm' });
}

/** Defines a write with its own checks. */
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

/** Defines a write on many targets that applies all its changes itself. */
export function defineWholeBatch<const S extends Shape>(command: WholeBatchDefinition<S>): Command {
  return complete(command, { kind: 'batch', gate: 'confirm' });
}

/** Adds the defaults. Getters are preserved: few calls read an output schema, and creating it is slow. */
function complete(definition: object, defaults: Pick<Command, 'kind'> & { readonly gate?: Gate }): Command {
  return Object.defineProperties({ ...defaults }, describedMembers(definition, defaults.kind)) as Command;
}

export function effectOf(command: Command): Effect {
  return command.kind === 'read' || command.kind === 'stream' ? 'read' : 'write';
}

export function gateOf(command: Command): Gate {
  if (command.kind === 'write' || command.kind === 'batch') return command.gate;
  return command.kind === 'exempt' ? 'exempt' : 'none';
}
