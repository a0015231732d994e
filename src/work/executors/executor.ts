import type { JsonObject } from '../../base/json.ts';
import type { WorkItem } from '../item/work-item.ts';
import type { ToolCall } from '../run/run-capsule.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What an executor works with. */
export interface Assignment {
  readonly item: WorkItem;
  readonly runId: string;
  readonly workspace: Workspace;
  /** The environment of every process of the run. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborts when the guard stops the run or the caller goes away; the executor then ends everything it started. */
  readonly signal: AbortSignal;
  /** Reports a tool call, at its start and again under the same id when it ended. */
  readonly onTool: (call: ToolCall) => void;
  /** Takes what the agent says; kept in the run's logs. */
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
  readonly now: () => number;
}

export interface ExecutorEnd {
  /** Why the agent's work does not count, or nothing when it says that it is done. */
  readonly error?: string | undefined;
  readonly exitCode?: number | null | undefined;
  /** Everything that came from outside, as text: with it a replay does the same without asking anyone. */
  readonly recording?: string | undefined;
  /** What the agent used, for the receipt's budget: tokens, cost. */
  readonly usage?: JsonObject | undefined;
}

/** Contract: resolves when nothing of it runs any more; an aborted signal ends it soon. Throws only what kept it from starting. */
export interface Executor {
  /** Where the tool calls are known from; the receipt names it. */
  readonly toolSource: string;
  readonly run: (assignment: Assignment) => Promise<ExecutorEnd>;
}

/** Port: the agent that is built into deed, given by whoever joins the parts. With the recording of a run it does that run again. */
export type BuiltinAgent = (options: Readonly<Record<string, unknown>>, recording?: string) => Executor;

/**
 * Port: reads what a built-in agent is made of beyond its options, such as the file with its prompt, and names it by a hash. What was
 * read is what later runs of this context use.
 */
export type BuiltinIdentity = (options: Readonly<Record<string, unknown>>, root: string) => Promise<string>;
