import type { Clock } from '../base/clock.ts';
import type { ApprovalDecision, ApprovalRequest, GivenApprovals } from './approval/approval-request.ts';
import type { Budget } from './accounting/budget.ts';
import type { Attachment } from './conversation.ts';
import type { SessionHooks } from './hooks/session-hooks.ts';
import type { LlmPort } from './llm-port.ts';
import type { QuestionAnswer, QuestionRequest } from './questions/tool-question.ts';
import type { SessionLog } from './session-log.ts';
import type { StoredSession } from './stored-session/restore-session.ts';
import type { SessionSnapshot } from './session/session-snapshot.ts';
import type { EventStream } from './session/event-stream.ts';
import type { SessionEvent } from './session-event.ts';
import type { ToolHost } from './tool-host.ts';
import type { ToolQueues } from './tools/tool-queues.ts';

/** The dependencies of a session. */
export interface SessionPorts {
  readonly llm: LlmPort;
  /** The session starts them when it runs and closes them when it ends. */
  readonly tools: readonly ToolHost[];
  readonly clock: Clock;
  /** Resolves early, without throwing, when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Calls the action once after a delay; the returned function cancels it. Defaults to the runtime's timer. */
  readonly timer?: (ms: number, action: () => void) => () => void;
  /** Saves the session's state after each turn and at the end; an exception is logged as a warning. */
  readonly saveSnapshot?: (snapshot: SessionSnapshot) => void;
  /** Stores every step of the session, so that it can be resumed. */
  readonly sessionLog?: SessionLog;
  /** The session to continue; the configuration of the resumed session is used, including its limits. */
  readonly resume?: StoredSession;
  /** A further task for the resumed session. */
  readonly prompt?: string;
  /** The files of that task. */
  readonly attachments?: readonly Attachment[];
  /** Stored with the session, for the program that resumes it. */
  readonly head?: unknown;
  /** Functions around each model and tool call. */
  readonly hooks?: SessionHooks;
  /** Decides on a call that needs approval, for the session and its sub-agents. Without it the session ends and waits for a decision. */
  readonly approve?: (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalDecision>;
  /** Answers a question of a tool server, for the session and its sub-agents. Without it the session ends and waits for an answer. */
  readonly answer?: (question: QuestionRequest, signal: AbortSignal) => Promise<QuestionAnswer>;
  /** The decisions on the calls of the resumed session that wait for a decision. */
  readonly approvals?: GivenApprovals;
  /** Returns the command that continues a session, for its report. */
  readonly resumeCommand?: (id: string) => string;
  /** Contract: must not throw; exceptions are ignored. */
  readonly onEvent?: (event: SessionEvent) => void;
  /** Called at the end, after the last event. Contract: never rejects. */
  readonly flush?: () => Promise<void>;
  /** Distributes the events instead of `onEvent`; shared with sub-agents. */
  readonly events?: EventStream;
  /** Cancels the session immediately; the report contains the results so far. */
  readonly signal?: AbortSignal;
  /** Stops the session gracefully: one final turn, then the report. */
  readonly stopSignal?: AbortSignal;
  /** Queues shared by sessions that share tool servers; by default the session creates its own from its configuration. */
  readonly queues?: ToolQueues;
  /** What to do when the definitions of the tools exceed the context of every target; default `warn`. */
  readonly oversizedTools?: 'warn' | 'refuse';
  /** Set for a sub-agent: the caller's budget, which is charged with every expense of this session. */
  readonly callerBudget?: Budget;
  /** Eight hex digits that identify this session's XML tags; random when absent. */
  readonly nonce?: string;
}
