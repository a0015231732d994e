import type { JsonObject, JsonValue } from '../base/json.ts';
import type { AccountingEntry } from './accounting-entry.ts';
import type { WaitingCall } from './approval/approval-request.ts';
import type { Message } from './conversation.ts';
import type { OutputFormat } from './session-config.ts';

/** The result of a session. Every session returns one, and it always contains a report. */
export interface AIAgentResult {
  readonly success: boolean;
  /** The error message of a failed session. */
  readonly error?: string;
  /** The failure category; executables derive their exit code from it. */
  readonly errorKind?: ErrorKind;
  readonly finalReport: FinalReport;
  readonly conversation: readonly Message[];
  readonly accounting: readonly AccountingEntry[];
  /** Tool calls that wait for a person, for a session that ended with the reason `approval_required`. */
  readonly approvals?: readonly WaitingCall[];
  readonly turns: number;
  readonly txnId: string;
}

/** `tools`: a tool server failed to start. `schema`: the schema of a tool or of the report is invalid. `approval`: a person must decide on a tool call. `session`: everything else. */
export type ErrorKind = 'session' | 'auth' | 'quota' | 'aborted' | 'tools' | 'config' | 'schema' | 'approval';

/** The final report. The format decides which one of the three content fields is set. */
export interface FinalReport {
  /** Set by the session, never by the model: `failure` marks a synthetic report that the session generated. */
  readonly status: 'success' | 'failure';
  readonly format: OutputFormat;
  readonly content?: string;
  readonly content_json?: JsonValue;
  readonly messages?: readonly JsonObject[];
  readonly metadata?: JsonObject;
  readonly ts: number;
}

/** Why the session generated a synthetic report: `metadata.reason` of a failure report. */
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
  | 'model_not_found'
  | 'tools'
  | 'approval_required'
  | 'refused'
  | 'internal';
