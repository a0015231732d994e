import type { JsonObject } from '../../base/json.ts';
import type { WorkItem } from '../item/work-item.ts';
import type { SessionKeeper } from './session-keeper.ts';
import type { RecordedToolCall } from '../run/run-capsule.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Input of an executor. */
export interface Assignment {
  readonly item: WorkItem;
  readonly runId: string;
  /** An earlier session of the agent that it should continue, and what it gets then instead of the description. */
  readonly session?: { readonly id: string; readonly message: string } | undefined;
  readonly workspace: Workspace;
  /** The environment of every process of the run. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborts when the guard stops the run or the caller cancels it; the executor then terminates everything it started. */
  readonly signal: AbortSignal;
  /** Reports a tool call when it starts, and with the same id when it ends. */
  readonly onTool: (call: RecordedToolCall) => void;
  /** Receives the output of the agent, which is saved in the run's logs. */
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
  readonly now: () => number;
  /** Keeps the session of a built-in agent for other hosts. */
  readonly keeper?: SessionKeeper | undefined;
}

export interface ExecutorResult {
  /** Why the agent failed; undefined when it reported success. */
  readonly error?: string | undefined;
  readonly exitCode?: number | null | undefined;
  /** All input from outside, as text; a replay uses it instead of calling the models again. */
  readonly recording?: string | undefined;
  /** Usage of the agent for the receipt's budget: tokens, cost. */
  readonly usage?: JsonObject | undefined;
}

/** Contract: resolves when all of its processes have exited; stops soon after the signal aborts. Throws only if it could not start. */
export interface Executor {
  /** Where the tool calls are reported; recorded in the receipt. */
  readonly toolSource: string;
  readonly run: (assignment: Assignment) => Promise<ExecutorResult>;
}

/** Port: the built-in agent of deed, set by the app layer. With the recording of a run it replays that run. */
export type BuiltinAgent = (options: Readonly<Record<string, unknown>>, recording?: string) => Executor;

/**
 * Port: reads the files that define a built-in agent, such as its prompt file, and returns a hash of them. Later runs of this context
 * use the content that was read here.
 */
export type BuiltinIdentity = (options: Readonly<Record<string, unknown>>, root: string) => Promise<string>;
