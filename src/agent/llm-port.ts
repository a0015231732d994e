import type { JsonObject } from '../base/json.ts';
import type { Message, ProviderState, ToolCall } from './conversation.ts';
import type { ToolDefinition } from './tool-host.ts';

/**
 * One attempt of one turn against one target. Retries, cycling and accounting belong to the session, so an implementation
 * makes exactly one request.
 *
 * Contract: never throws and never rejects; a failure is an outcome. Stops soon after `signal` aborts. Calls `onDelta` for
 * whatever arrives, because silence is what the session's timeout measures.
 */
export interface LlmPort {
  readonly attempt: (request: LlmRequest) => Promise<LlmOutcome>;
}

export interface LlmRequest {
  readonly provider: string;
  readonly model: string;
  readonly messages: readonly Message[];
  /** Empty when the transport withholds tool definitions from the provider. */
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: 'auto' | 'required' | 'none';
  readonly parameters: LlmParameters;
  readonly stream: boolean;
  readonly signal: AbortSignal;
  readonly onDelta: (delta: LlmDelta) => void;
}

/** Everything a user may set about a request; what is absent is left to the provider. */
export interface LlmParameters {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly repeatPenalty?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  readonly maxOutputTokens?: number;
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
  readonly extendedThinking?: boolean | { readonly budgetTokens: number };
  readonly caching?: 'none' | 'full';
  /** Passed to the provider as they are. */
  readonly providerOptions?: JsonObject;
}

export type LlmDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Something arrived that has no text: a header, a tool call's fragment, a keep-alive. */
  | { readonly type: 'alive' };

export type LlmOutcome = LlmResponse | LlmFailure;

export interface LlmResponse {
  readonly ok: true;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** In the provider's own word or the library's: `stop`, `end_turn`, `length`, `max_tokens`, `tool-calls`, … */
  readonly stopReason: string | undefined;
  readonly usage: LlmUsage | undefined;
  readonly actualProvider?: string;
  readonly actualModel?: string;
  /** What the provider says it cost; otherwise the pricing table is asked. */
  readonly costUsd?: number;
  readonly state?: ProviderState;
}

/** Tokens as the context counters need them: the three of the prompt and the reply never overlap. */
export interface LlmUsage {
  /** Prompt tokens that were not read from a cache; those written to one are included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /** A part of `inputTokens`, known apart because it is priced apart. */
  readonly cacheWriteTokens?: number;
  /** A part of `outputTokens`. */
  readonly reasoningTokens?: number;
  /** Reckoned by the session, because the provider told nothing. */
  readonly estimated?: true;
}

/** `aborted` means that the caller's signal ended it, not the provider. */
export type LlmFailureClass =
  | 'rate_limit'
  | 'auth'
  | 'quota'
  | 'model_error'
  | 'timeout'
  | 'network'
  | 'aborted';

export interface LlmFailure {
  readonly ok: false;
  readonly class: LlmFailureClass;
  readonly status?: number;
  /** How long the provider asked to wait: the longest of its hints, not yet clamped. */
  readonly retryAfterMs?: number;
  readonly message: string;
  /** What the failed request used all the same, when the provider told. */
  readonly usage?: LlmUsage;
}
