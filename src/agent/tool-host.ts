import type { JsonObject } from '../base/json.ts';
import type { Budget } from './accounting/budget.ts';
import type { AccountingEntry } from './accounting-entry.ts';
import type { Attachment } from './conversation.ts';
import type { QuestionAnswer, ToolQuestion } from './questions/tool-question.ts';
import type { SamplingAnswer, SamplingRequest } from './sampling/sampling-request.ts';

/**
 * A source of tools: an MCP server, REST endpoints or sub-agents.
 *
 * Contract: `start` rejects with a Fault when the tools are unavailable; it is called once, before `listTools`. `call` never
 * throws and never rejects: a failure is an outcome with its reason, and it returns soon after the signal aborts. `close` is
 * called once, also after a failed start, terminates every process the host started, and never throws.
 */
export interface ToolHost {
  readonly name: string;
  readonly start: (signal: AbortSignal) => Promise<void>;
  readonly listTools: () => readonly ToolDefinition[];
  /** Changes when the list of tools may have changed; absent for a fixed list. */
  readonly revision?: () => number;
  /** The names of tools that exist but are not selected, for rules that name them. */
  readonly withheld?: () => readonly string[];
  /** How to use the tools, in the words of their author. Untrusted text. */
  readonly instructions?: () => string | undefined;
  readonly call: (name: string, args: JsonObject, context: ToolCallContext) => Promise<ToolOutcome>;
  readonly close: () => Promise<void>;
}

export interface ToolDefinition {
  /** The name the model sees: `<server>__<tool>`, `rest__<name>`, `agent__<name>`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, of type object. */
  readonly inputSchema: JsonObject;
  readonly origin: ToolOrigin;
  /** The queue of its calls; `default` when absent. */
  readonly queue?: string;
  /** Overrides the session's tool timeout. */
  readonly timeoutMs?: number;
  readonly responseMaxBytes?: number;
  /** The tool only reads, or calling it twice has the effect of once: a resumed session may repeat a call with unknown outcome. */
  readonly repeatable?: boolean;
}

export interface ToolOrigin {
  readonly kind: 'mcp' | 'rest' | 'agent' | 'internal';
  /** Recorded as `mcpServer` in accounting: the server's name, `rest` or `agent`. */
  readonly server: string;
}

export interface ToolCallContext {
  readonly signal: AbortSignal;
  /** The id of this call; a sub-agent uses it as its session id. */
  readonly txnId: string;
  readonly parentTxnId: string;
  readonly originTxnId: string;
  readonly callPath: string;
  /** Reports progress to the user. */
  readonly progress: (message: string) => void;
  /** Asks the user a question. Never rejects. */
  readonly ask: (question: ToolQuestion) => Promise<QuestionAnswer>;
  /** Sends a request to the model of the session; it counts as a turn. Rejects with the reason when that is not possible. */
  readonly sample: (request: SamplingRequest) => Promise<SamplingAnswer>;
  /** Aborts when the session is stopped gracefully: a sub-agent then reports the results so far. */
  readonly stopSignal: AbortSignal;
  /** The session's budget, which also limits its sub-agents. */
  readonly budget: Budget;
}

export type ToolOutcome = ToolSuccess | ToolFailure;

export interface ToolSuccess {
  readonly ok: true;
  readonly text: string;
  /** Images of the response, which `text` describes, for models that accept them. */
  readonly images?: readonly Attachment[];
  /** Entries of a sub-agent, added to the caller's. */
  readonly accounting?: readonly AccountingEntry[];
}

export interface ToolFailure {
  readonly ok: false;
  /** Sent to the model as `(tool failed: <reason>)`. */
  readonly reason: string;
  readonly accounting?: readonly AccountingEntry[];
}

/** Returns the outcome of a call that succeeded. */
export function withImages(text: string, images: readonly Attachment[]): ToolSuccess {
  return { ok: true, text, ...(images.length > 0 && { images }) };
}
