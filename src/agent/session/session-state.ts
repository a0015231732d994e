import type { WaitingCall } from '../approval/approval-request.ts';
import type { Compaction } from '../compaction/compacted-context.ts';
import type { Attachment } from '../conversation.ts';
import type { FailureReason } from '../agent-result.ts';
import type { GivenAnswer } from '../questions/tool-question.ts';
import type { Target } from '../session-config.ts';

/** The mutable state of a session. */
export interface SessionState {
  turn: number;
  turnsCompleted: number;
  /** Why this turn or the next must be the final one; the first reason is kept. */
  forcedFinal: FailureReason | undefined;
  /** A tool response did not fit into the context: no further tool may start. */
  toolBudgetExceeded: boolean;
  /** Calls of this turn that wait for a person. */
  readonly approvals: WaitingCall[];
  /** Answers to questions that calls of this turn asked before. */
  readonly answers: readonly GivenAnswer[];
  /** Set when older turns were replaced by a summary. */
  compaction: Compaction | undefined;
  compactionFailed: boolean;
  reportAttempts: number;
  lastStopReason: string | undefined;
  lastFailure: string | undefined;
  /** The latest model text that is not a report; used in a synthetic report. */
  lastText: string | undefined;
  /** A further task of the user, which follows the interrupted turn of a resumed session. */
  prompt: string | undefined;
  /** The files of that task. */
  attachments: readonly Attachment[];
  /** Sent to the model once, with the next request. */
  notice: string | undefined;
  /** Targets that answered their last request with 404. */
  readonly notFound: Set<Target>;
}
