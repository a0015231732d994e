import type { JsonObject } from '../base/json.ts';
import type { TraceIds } from './accounting-entry.ts';
import type { Message } from './conversation.ts';
import type { LlmParameters } from './llm-port.ts';

export const OUTPUT_FORMATS = [
  'markdown',
  'markdown+mermaid',
  'slack-block-kit',
  'tty',
  'pipe',
  'json',
  'sub-agent',
] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export const TRANSPORTS = ['xml-final', 'native', 'xml'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** What a session needs to know, with every default, layer and override already applied. Plain data. */
export interface SessionConfig {
  /** The agent's name: in `agentId`, in call paths and in the check for agents that call themselves. */
  readonly agentId: string;
  readonly systemPrompt: string;
  readonly userPrompt: string;
  /** Earlier messages to go on from; they stand between the system prompt and the user prompt. */
  readonly history?: readonly Message[];
  /** In the order in which attempts go through them; at least one. */
  readonly targets: readonly Target[];
  readonly limits: SessionLimits;
  readonly transport: Transport;
  readonly output: { readonly format: OutputFormat; readonly schema?: JsonObject };
  readonly stream: boolean;
  /** Keeps untruncated tool responses in the log. */
  readonly traceTools: boolean;
  /** Offers `agent__progress_report`. */
  readonly progressReports: boolean;
  /** Offers `agent__batch`. */
  readonly batch: boolean;
  readonly queues: Readonly<Record<string, QueueConfig>>;
  /** Set for a sub-agent: whose child it is. */
  readonly trace?: TraceIds;
}

export interface QueueConfig {
  readonly concurrent: number;
}

/** One provider and model, with what differs for it. */
export interface Target {
  readonly provider: string;
  readonly model: string;
  readonly contextWindow: number;
  readonly contextWindowBufferTokens: number;
  readonly maxOutputTokens: number;
  /** The encoding that counts its tokens; bytes alone when there is none for it. */
  readonly tokenizer?: 'o200k_base' | 'cl100k_base';
  /** The session's parameters with the provider's and the model's overrides on top. */
  readonly parameters: LlmParameters;
  readonly pricing?: Pricing;
}

/** US dollars for a million tokens. */
export interface Pricing {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface SessionLimits {
  readonly maxTurns: number;
  readonly maxRetries: number;
  readonly maxToolCallsPerTurn: number;
  readonly toolTimeoutMs: number;
  /** How long a model may be silent. */
  readonly llmTimeoutMs: number;
  readonly toolResponseMaxBytes: number;
  readonly maxCostUsd?: number;
  readonly maxTotalTokens?: number;
  readonly maxDurationMs?: number;
}

export const DEFAULT_LIMITS: SessionLimits = {
  maxTurns: 10,
  maxRetries: 3,
  maxToolCallsPerTurn: 10,
  toolTimeoutMs: 300_000,
  llmTimeoutMs: 600_000,
  toolResponseMaxBytes: 12_288,
};

export const DEFAULT_CONTEXT = {
  contextWindow: 131_072,
  contextWindowBufferTokens: 8192,
  maxOutputTokens: 4096,
} as const;
