import type { JsonObject, JsonValue } from '../base/json.ts';
import type { AccountingEntry } from './accounting-entry.ts';
import type { Message } from './conversation.ts';
import type { OutputFormat } from './session-config.ts';

/** What a session comes to. There is always one, and it always has a report. */
export interface AIAgentResult {
  readonly success: boolean;
  /** What went wrong, when it did. */
  readonly error?: string;
  /** Which kind of failure it was; an executable derives its exit code from it. */
  readonly errorKind?: ErrorKind;
  readonly finalReport: FinalReport;
  readonly conversation: readonly Message[];
  readonly accounting: readonly AccountingEntry[];
  readonly turns: number;
  readonly txnId: string;
}

/** `tools`: a tool server could not be had. `schema`: a tool's or the report's schema is invalid. `session`: everything else. */
export type ErrorKind = 'session' | 'auth' | 'quota' | 'aborted' | 'tools' | 'config' | 'schema';

/** The report: exactly one of the three content fields is set, by format. */
export interface FinalReport {
  /** Told by where the report comes from, never by the model: `failure` is a report that the session had to make up. */
  readonly status: 'success' | 'failure';
  readonly format: OutputFormat;
  readonly content?: string;
  readonly content_json?: JsonValue;
  readonly messages?: readonly JsonObject[];
  readonly metadata?: JsonObject;
  readonly ts: number;
}

/** Why a report had to be made up: `metadata.reason` of a failure report. */
export type FailureReason =
  | 'max_turns_exhausted'
  | 'context'
  | 'final_report_tool_failed'
  | 'max_cost'
  | 'max_tokens'
  | 'max_duration'
  | 'stopped'
  | 'aborted'
  | 'auth'
  | 'quota'
  | 'tools'
  | 'internal';
