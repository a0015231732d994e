import type { AssistantMessage, Attachment, Message } from '../conversation.ts';
import type { LlmRequest, LlmResponse } from '../llm-port.ts';
import type { ReportCandidate } from '../report/report-candidate.ts';
import type { ToolDefinition } from '../tool-host.ts';
import type { StreamFilter } from './stream-filter.ts';

/** Encodes tool calls and the report in the conversation with the model. Tool execution does not depend on it. */
export interface SessionTransport {
  /** Returns the tools, tool choice and instructions of the next request. */
  readonly offer: (tools: readonly ToolDefinition[], state: OfferState) => Offer;
  /** Extracts tool calls and reports from a response. */
  readonly parse: (response: LlmResponse) => ParsedResponse;
  /** Converts a response to its conversation message. */
  readonly toMessage: (response: LlmResponse, calls: readonly RequestedCall[]) => AssistantMessage;
  /** Renders one result as the model sees it; its tokens are estimated from this text. */
  readonly renderResult: (result: CallResult) => string;
  /** Converts results to conversation messages. */
  readonly toResultMessages: (results: readonly CallResult[]) => readonly Message[];
  /** Returns the message that explains why a report was rejected. */
  readonly rejectReport: (candidate: ReportCandidate, reason: string) => Message;
  /** Returns the number of the next XML slot; 1 without XML. */
  readonly slot: () => number;
  readonly createFilter: (show: (channel: 'text' | 'report', text: string) => void) => StreamFilter;
}

export interface OfferState {
  /** Only the final report may be offered. */
  readonly finalOnly: boolean;
  /** The conversation contains native tool calls. */
  readonly hasToolCalls: boolean;
  /** Instructions of the tool servers for the use of their tools. */
  readonly serverInstructions: string | undefined;
}

export interface Offer {
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: LlmRequest['toolChoice'];
  /** Ephemeral instructions: sent with this request and not stored. */
  readonly next: readonly Message[];
}

export interface ParsedResponse {
  readonly calls: readonly RequestedCall[];
  /** In order of appearance; the last valid one is used. */
  readonly reports: readonly ReportCandidate[];
  /** Text outside tags. */
  readonly text: string;
  /** A report truncated by the output limit: not accepted, but kept for a synthetic report. */
  readonly truncatedReport?: string;
  readonly warnings: readonly string[];
}

export interface RequestedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly source: 'native' | 'xml';
  /** Its arguments were cut off at the output limit. */
  readonly isCutOff?: boolean;
  /** Where it is in its response, `2` or `2.0` inside a batch; set when the calls of a response are run. */
  readonly position?: string;
}

/** The result of a call as reported to the model. */
export interface CallResult {
  readonly call: RequestedCall;
  readonly ok: boolean;
  /** The response, or `(tool failed: <reason>)`. */
  readonly text: string;
  readonly images?: readonly Attachment[];
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
  | 'interrupted'
  | 'denied'
  | 'budget'
  | 'failed';
