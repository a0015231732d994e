import type { JsonObject } from '../base/json.ts';
import type { Budget } from './accounting/budget.ts';
import type { AccountingEntry } from './accounting-entry.ts';

/**
 * Something that offers tools: an MCP server, REST endpoints, sub-agents.
 *
 * Contract: `start` rejects with a Fault when the tools cannot be had; it is called once, before `listTools`. `call` never
 * throws and never rejects: a failure is an outcome with its reason, and it ends soon after the signal aborts. `close` is
 * called once, also after a failed start, ends every process the host started, and never throws.
 */
export interface ToolHost {
  readonly name: string;
  readonly start: (signal: AbortSignal) => Promise<void>;
  readonly listTools: () => readonly ToolDefinition[];
  readonly call: (name: string, args: JsonObject, context: ToolCallContext) => Promise<ToolOutcome>;
  readonly close: () => Promise<void>;
}

export interface ToolDefinition {
  /** As the model sees it: `<server>__<tool>`, `rest__<name>`, `agent__<name>`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly inputSchema: JsonObject;
  readonly origin: ToolOrigin;
  /** The queue its calls wait in; `default` when absent. */
  readonly queue?: string;
  /** Overrides the session's for this tool. */
  readonly timeoutMs?: number;
  readonly responseMaxBytes?: number;
}

export interface ToolOrigin {
  readonly kind: 'mcp' | 'rest' | 'agent' | 'internal';
  /** What accounting calls `mcpServer`: the server's name, `rest`, `agent`. */
  readonly server: string;
}

export interface ToolCallContext {
  readonly signal: AbortSignal;
  /** The id of this call; a sub-agent takes it as its own. */
  readonly txnId: string;
  readonly parentTxnId: string;
  readonly originTxnId: string;
  readonly callPath: string;
  /** Tells a person that work goes on. */
  readonly progress: (message: string) => void;
  /** Aborts when the session was asked to come to its end: a sub-agent hands in what it has. */
  readonly stopSignal: AbortSignal;
  /** What the session may spend, and a sub-agent out of it. */
  readonly budget: Budget;
}

export type ToolOutcome = ToolSuccess | ToolFailure;

export interface ToolSuccess {
  readonly ok: true;
  readonly text: string;
  /** Entries of a sub-agent, joined to the caller's. */
  readonly accounting?: readonly AccountingEntry[];
}

export interface ToolFailure {
  readonly ok: false;
  /** Goes to the model as `(tool failed: <reason>)`. */
  readonly reason: string;
  readonly accounting?: readonly AccountingEntry[];
}
