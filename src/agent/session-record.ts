import type { AccountingEntry } from './accounting-entry.ts';
import type { WaitingCall } from './approval/approval-request.ts';
import type { GivenAnswer } from './questions/tool-question.ts';
import type { AIAgentResult, FailureReason } from './agent-result.ts';
import type { Compaction } from './compaction/compacted-context.ts';
import type { Attachment, Message } from './conversation.ts';
import type { LlmResponse } from './llm-port.ts';
import type { SessionLimits } from './session-config.ts';
import type { CallFailureCode } from './transport/transport.ts';

/**
 * One step of a session, as its log stores it. A step is recorded before it starts (`llm.requested`, `tool.started`) and when it is
 * complete, so that after a kill at any moment it is known what was done, what was not, and which outcome is unknown.
 */
export type SessionRecord = { readonly at: number } & SessionRecordBody;

export type SessionRecordBody =
  | {
      readonly type: 'session.opened';
      readonly version: 1;
      readonly id: string;
      /** The random part of the names of XML tags in the conversation. */
      readonly nonce: string;
      /** What the session was asked to do; belongs to the program that stores the session. */
      readonly head: unknown;
      /** The prompts, and their estimated tokens. */
      readonly messages: readonly Message[];
      readonly pendingTokens: number;
      readonly forkedFrom?: string;
      readonly limits?: StoredLimits;
    }
  | SessionResumed
  | LlmRequestedRecord
  | LlmSettledRecord
  /** The response is unusable: the turn continues with another attempt. */
  | ({ readonly type: 'llm.rejected' } & Pick<Checkpoint, 'entries' | 'progress'>)
  | {
      readonly type: 'tool.started';
      readonly position: string;
      readonly tool: string;
      readonly arguments: string;
    }
  | ToolFinishedRecord
  /** A tool call of a sub-agent, or a call that waits for an answer. */
  | { readonly type: 'accounting.added'; readonly entry: AccountingEntry }
  | ({ readonly type: 'turn.finished' } & Checkpoint)
  /** The session waits for a person; the response of the model is processed again when it is resumed. */
  | {
      readonly type: 'session.suspended';
      readonly approvals: readonly WaitingCall[];
      /** Answers to earlier questions of calls that wait. */
      readonly answers?: readonly GivenAnswer[];
      readonly result: StoredResult;
      readonly totals: SessionTotals;
    }
  | ({ readonly type: 'session.finished'; readonly result: StoredResult } & Checkpoint);

export interface SessionResumed {
  readonly type: 'session.resumed';
  /** Another task of the user. */
  readonly prompt?: string;
  readonly attachments?: readonly Attachment[];
  /** Entries of requests whose outcome is unknown. */
  readonly entries: readonly AccountingEntry[];
  readonly limits?: StoredLimits;
}

/** The limits of the process that works on a session, for people; absent in files of earlier versions. Another process may have others. */
export type StoredLimits = Pick<
  SessionLimits,
  'maxTurns' | 'maxTotalTokens' | 'maxCostUsd' | 'maxDurationMs'
>;

/** A request is about to be sent. Without a record of its outcome it may have been paid. */
export interface LlmRequestedRecord {
  readonly type: 'llm.requested';
  /** The id of a sub-agent's session or of a tool server's request; absent for the session itself. */
  readonly child?: string;
  /** The turn that a request of a tool server counts as. */
  readonly turn?: number;
  readonly entry: AccountingEntry;
}

export interface LlmSettledRecord {
  readonly type: 'llm.settled';
  readonly child?: string;
  readonly entry: AccountingEntry;
  /** Absent for a failed request. */
  readonly answer?: RecordedResponse;
}

/** A response of the model with what is needed to process it again. */
export interface RecordedResponse {
  readonly turn: number;
  readonly finalOnly: boolean;
  readonly response: LlmResponse;
  readonly schemaTokens: number;
  /** The first XML slot of the turn. */
  readonly slot: number;
  /** A secret in the response was masked when it was stored, so the stored tool calls cannot be run. */
  readonly masked?: true;
}

export interface ToolFinishedRecord {
  readonly type: 'tool.finished';
  readonly position: string;
  readonly result: RecordedResult;
  readonly entry: AccountingEntry;
}

/** The result of a tool call as the model received it. */
export interface RecordedResult {
  readonly ok: boolean;
  readonly text: string;
  readonly images?: readonly Attachment[];
  readonly latencyMs: number;
  readonly code?: CallFailureCode;
  /** Set when the response did not fit into the context. */
  readonly dropped?: true;
}

/** The state of a session between two turns. */
export interface Checkpoint {
  /** Messages since the last checkpoint. */
  readonly messages: readonly Message[];
  /** Accounting entries since the last checkpoint that no other record contains. */
  readonly entries: readonly AccountingEntry[];
  readonly progress: SessionProgress;
  readonly totals: SessionTotals;
}

/** The counters that a resumed session continues with. */
export interface SessionProgress {
  readonly turn: number;
  readonly turnsCompleted: number;
  readonly forcedFinal?: FailureReason;
  readonly toolBudgetExceeded: boolean;
  readonly reportAttempts: number;
  readonly lastStopReason?: string;
  readonly lastText?: string;
  readonly notice?: string;
  readonly compaction?: Compaction;
  readonly currentTokens: number;
  readonly pendingTokens: number;
  /** How many tokens the smallest model accepts, for people; absent in files of earlier versions. */
  readonly contextLimit?: number;
  readonly slot: number;
}

/** What a session has spent, for lists. */
export interface SessionTotals {
  readonly turns: number;
  readonly tokens: number;
  readonly costUsd: number;
}

export type StoredResult = Pick<AIAgentResult, 'success' | 'error' | 'errorKind' | 'finalReport'>;
