import type { JsonObject } from '../base/json.ts';
import type { AttachmentKind } from './attachments/attachment-kinds.ts';
import type { Message, ProviderState, ToolCall } from './conversation.ts';
import type { ToolDefinition } from './tool-host.ts';

/**
 * Sends one request to one target. The session handles retries, target cycling and accounting, so an implementation makes
 * exactly one request.
 *
 * Contract: never throws and never rejects; a failure is returned as an outcome. Stops soon after `signal` aborts. Calls
 * `onDelta` for everything that arrives, because the session's timeout measures the time without data.
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
  /** The kinds of attachments that the model accepts; others are described as text. */
  readonly accepts?: readonly AttachmentKind[];
  readonly signal: AbortSignal;
  readonly onDelta: (delta: LlmDelta) => void;
}

/** Request parameters that a user can set. The provider's default applies where one is absent. */
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
  /** Passed to the provider unchanged. */
  readonly providerOptions?: JsonObject;
}

export type LlmDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Counted only when the attempt fails: a fragment of a tool call, a body that cannot be read. */
  | { readonly type: 'other'; readonly text: string }
  /** Data without text arrived: a header, a keep-alive. */
  | { readonly type: 'alive' };

export type LlmOutcome = LlmResponse | LlmFailure;

export interface LlmResponse {
  readonly ok: true;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** The value that the provider or the SDK reports: `stop`, `end_turn`, `length`, `max_tokens`, `tool-calls`, … */
  readonly stopReason: string | undefined;
  readonly usage: LlmUsage | undefined;
  readonly actualProvider?: string;
  readonly actualModel?: string;
  /** The cost that the provider reports; without it the pricing table applies. */
  readonly costUsd?: number;
  readonly state?: ProviderState;
  /** Deviations that the adapter accepted or corrected; the session logs them. */
  readonly warnings?: readonly string[];
}

/** Token usage. Input, output and cache-read tokens do not overlap, as the context counters require. */
export interface LlmUsage {
  /** Prompt tokens that were not read from a cache, including tokens that were written to a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /** Part of `inputTokens`; separate because it has its own price. */
  readonly cacheWriteTokens?: number;
  /** Part of `outputTokens`. */
  readonly reasoningTokens?: number;
  /** Estimated by the session, because the provider reported no usage or its response broke. */
  readonly estimated?: true;
}

/** `aborted`: the caller's signal ended the request, not the provider. */
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
  /** The address of the failed request, without its query. */
  readonly url?: string;
  /** The wait that the provider asks for: the longest of its hints, not clamped. */
  readonly retryAfterMs?: number;
  readonly message: string;
  /** Usage of the failed request, when the provider reports it. */
  readonly usage?: LlmUsage;
}
