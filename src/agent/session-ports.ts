import type { Clock } from '../base/clock.ts';
import type { Budget } from './accounting/budget.ts';
import type { LlmPort } from './llm-port.ts';
import type { SessionSnapshot } from './session/session-snapshot.ts';
import type { SessionEvent } from './session-event.ts';
import type { ToolHost } from './tool-host.ts';
import type { ToolQueues } from './tools/tool-queues.ts';

/** The deps of a session. */
export interface SessionPorts {
  readonly llm: LlmPort;
  /** Started by the session when it runs, and closed by it when it ends. */
  readonly tools: readonly ToolHost[];
  readonly clock: Clock;
  /** Ends early, without throwing, when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Calls the action once after a time, unless the returned function is called before. The runtime's timer when absent. */
  readonly timer?: (ms: number, action: () => void) => () => void;
  /** Keeps the state of the session after each turn and at its end; what it throws becomes a warning. */
  readonly saveSnapshot?: (snapshot: SessionSnapshot) => void;
  /** Contract: must not throw; what it throws is ignored. */
  readonly onEvent?: (event: SessionEvent) => void;
  /** Ends the session at once, with a report of what was gathered. */
  readonly signal?: AbortSignal;
  /** Asks the session to come to its end: one final turn, then the report. */
  readonly stopSignal?: AbortSignal;
  /** Shared by sessions that share tool servers; otherwise the session makes its own from its configuration. */
  readonly queues?: ToolQueues;
  /** The caller's, when this is a sub-agent: what it spends counts there too, as it is spent. */
  readonly callerBudget?: Budget;
  /** Eight hex digits that mark this session's tags; random when absent. */
  readonly nonce?: string;
}
