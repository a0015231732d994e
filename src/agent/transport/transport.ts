import type { AssistantMessage, Message } from '../conversation.ts';
import type { LlmRequest, LlmResponse } from '../llm-port.ts';
import type { ReportCandidate } from '../report/report-candidate.ts';
import type { ToolDefinition } from '../tool-host.ts';
import type { StreamFilter } from './stream-filter.ts';

/** How tool calls and the report travel between session and model. What is executed, and how, does not depend on it. */
export interface SessionTransport {
  /** Says how the next request offers its tools. */
  readonly offer: (tools: readonly ToolDefinition[], finalOnly: boolean) => Offer;
  /** Finds calls and reports in an answer. */
  readonly read: (response: LlmResponse) => Reading;
  /** The answer as the conversation keeps it. */
  readonly keep: (response: LlmResponse, calls: readonly RequestedCall[]) => AssistantMessage;
  /** The text of one result as the model will read it; what it costs is reckoned from this. */
  readonly renderResult: (result: CallResult) => string;
  /** The messages that bring results to the model. */
  readonly answer: (results: readonly CallResult[]) => readonly Message[];
  /** The message that tells why a report was rejected. */
  readonly rejectReport: (candidate: ReportCandidate, reason: string) => Message;
  readonly createFilter: (show: (channel: 'text' | 'report', text: string) => void) => StreamFilter;
}

export interface Offer {
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: LlmRequest['toolChoice'];
  /** Instructions that are sent with this request and kept nowhere. */
  readonly next: readonly Message[];
}

export interface Reading {
  readonly calls: readonly RequestedCall[];
  /** In the order in which they were written; the last valid one counts. */
  readonly reports: readonly ReportCandidate[];
  /** What stands outside of tags. */
  readonly text: string;
  /** A report that was cut off by the output limit: not to be taken, but not to be lost either. */
  readonly cutOff?: string;
  readonly warnings: readonly string[];
}

export interface RequestedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly source: 'native' | 'xml';
}

/** What a call came to, as the model is told. */
export interface CallResult {
  readonly call: RequestedCall;
  readonly ok: boolean;
  /** The response, or `(tool failed: <reason>)`. */
  readonly text: string;
  readonly latencyMs: number;
  readonly code?: CallFailureCode;
}

export type CallFailureCode =
  | 'limit'
  | 'invalid_arguments'
  | 'unknown_tool'
  | 'unavailable'
  | 'timeout'
  | 'aborted'
  | 'budget'
  | 'failed';
