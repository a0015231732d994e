import type { JsonObject } from '../base/json.ts';
import type { AccountingEntry } from './accounting-entry.ts';
import type { AIAgentResult } from './agent-result.ts';
import type { LlmFailureClass } from './llm-port.ts';
import type { CallFailureCode } from './transport/transport.ts';

/** An event that a session emits while it runs, for logs and live progress. */
export type SessionEvent = EventOrigin & SessionEventBody;

export interface EventOrigin {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly agentId: string;
  readonly callPath: string;
  readonly txnId: string;
  /** Starts at 1; 0 before the first turn. */
  readonly turn: number;
}

export type SessionEventBody =
  | { readonly type: 'session.started'; readonly tools: readonly string[]; readonly maxTurns: number }
  | { readonly type: 'turn.started'; readonly final: boolean }
  | {
      readonly type: 'turn.finished';
      readonly turns: number;
      readonly tokens: number;
      readonly costUsd: number;
    }
  /** Older turns were replaced by a summary; the tokens are estimates. */
  | { readonly type: 'context.compacted'; readonly beforeTokens: number; readonly afterTokens: number }
  | LlmRequested
  /** The response is unusable; another request follows, with the notice. */
  | { readonly type: 'llm.rejected'; readonly notice: string }
  | {
      readonly type: 'llm.answered';
      readonly provider: string;
      readonly model: string;
      readonly latencyMs: number;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cacheReadTokens: number;
      readonly costUsd: number | undefined;
      readonly totalCostUsd: number;
      readonly stopReason: string | undefined;
      readonly toolCalls: number;
    }
  | {
      readonly type: 'llm.failed';
      readonly provider: string;
      readonly model: string;
      readonly class: LlmFailureClass;
      readonly message: string;
      readonly waitMs: number;
    }
  /** Streamed text without XML tags. `report` is text of the final report, before the session accepts it. */
  | {
      readonly type: 'output.delta';
      readonly channel: 'reasoning' | 'text' | 'report';
      readonly text: string;
    }
  | {
      readonly type: 'tool.queued';
      readonly tool: string;
      readonly queue: string;
      /** Waiting and running calls, including this one. */
      readonly depth: number;
      readonly running: number;
    }
  | {
      readonly type: 'tool.started';
      readonly tool: string;
      readonly callId: string;
      /** The id of this call. If the tool is a sub-agent, its session has the same id. */
      readonly callTxnId: string;
      readonly arguments: string;
    }
  | {
      readonly type: 'tool.finished';
      readonly tool: string;
      readonly callId: string;
      readonly ok: boolean;
      readonly latencyMs: number;
      readonly bytes: number;
      readonly error: string | undefined;
      /** Why the call was not run: no `tool.started` came before, and it has no accounting entry. */
      readonly refused?: CallFailureCode;
      /** What the model receives: the response, or `(tool failed: <reason>)`. */
      readonly result: string;
    }
  | { readonly type: 'progress.reported'; readonly message: string }
  | { readonly type: 'accounting.added'; readonly entry: AccountingEntry }
  | {
      readonly type: 'log';
      readonly level: LogLevel;
      readonly message: string;
      readonly details?: JsonObject;
    }
  | { readonly type: 'session.finished'; readonly result: AIAgentResult };

/** `LLM request prepared`: `expectedTokens = ctxTokens + newTokens + schemaTokens`, always. */
export interface LlmRequested {
  readonly type: 'llm.requested';
  readonly provider: string;
  readonly model: string;
  /** Starts at 1 in each turn. */
  readonly attempt: number;
  readonly ctxTokens: number;
  readonly newTokens: number;
  readonly schemaTokens: number;
  readonly expectedTokens: number;
  readonly limitTokens: number;
  readonly forcedFinalReason: string | undefined;
}

export type LogLevel = 'ERR' | 'WRN' | 'INF' | 'TRC';
