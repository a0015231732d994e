import type { JsonObject } from '../base/json.ts';
import type { ApprovalRule } from './approval/approval-rule.ts';
import type { ReportGuard } from './guards/report-guard.ts';
import type { TraceIds } from './accounting-entry.ts';
import type { AttachmentKind } from './attachments/attachment-kinds.ts';
import type { Attachment, Message } from './conversation.ts';
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

/** The resolved configuration of a session: defaults, layers and overrides are already applied. Plain data. */
export interface SessionConfig {
  /** The agent's name, used in accounting, in call paths and to detect agents that call themselves. */
  readonly agentId: string;
  readonly systemPrompt: string;
  readonly userPrompt: string;
  /** Files of the task. */
  readonly attachments?: readonly Attachment[];
  /** Earlier messages to continue from, placed between the system prompt and the user prompt. */
  readonly history?: readonly Message[];
  /** Tried in this order, round-robin; at least one. */
  readonly targets: readonly Target[];
  readonly limits: SessionLimits;
  readonly transport: Transport;
  readonly output: { readonly format: OutputFormat; readonly schema?: JsonObject };
  readonly stream: boolean;
  /** Logs untruncated tool responses. */
  readonly traceTools: boolean;
  /** Enables the tool `agent__progress_report`. */
  readonly progressReports: boolean;
  /** Enables the tool `agent__batch`. */
  readonly batch: boolean;
  readonly queues: Readonly<Record<string, QueueConfig>>;
  /** Rules for tool calls, one list per source; the strictest decision applies. */
  readonly approval?: readonly (readonly ApprovalRule[])[];
  /** The rules of the agents that call this one. They may be for tools that only those have. */
  readonly callerApproval?: readonly (readonly ApprovalRule[])[];
  /** When older turns become a summary; never when absent. */
  readonly compaction?: CompactionLimits;
  /** Conditions that the report must meet. */
  readonly guards?: readonly ReportGuard[];
  /** Set for a sub-agent; identifies its caller. */
  readonly trace?: TraceIds;
}

export interface CompactionLimits {
  /** The share of the context limit above which the next turn is a summary. */
  readonly atShare: number;
  /** How many of the last turns stay as they are. */
  readonly keepTurns: number;
}

export interface QueueConfig {
  readonly concurrent: number;
}

/** One provider and model with its own settings. */
export interface Target {
  readonly provider: string;
  readonly model: string;
  readonly contextWindow: number;
  readonly contextWindowBufferTokens: number;
  readonly maxOutputTokens: number;
  /** What the model accepts besides text; nothing when absent. */
  readonly accepts?: readonly AttachmentKind[];
  /** The encoding of the tokenizer; if absent, tokens are estimated from bytes. */
  readonly tokenizer?: 'o200k_base' | 'cl100k_base';
  /** The session's parameters with the overrides of provider and model applied. */
  readonly parameters: LlmParameters;
  readonly pricing?: Pricing;
}

/** US dollars per million tokens. */
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
  /** Longest time a model may send no data. */
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
