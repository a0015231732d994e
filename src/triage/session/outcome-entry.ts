import type { Action } from '../assessment.ts';
import type { ActionOutcome } from '../actions/execute-action.ts';
import type { GateResult } from '../gates/gate.ts';

/** One action of a plan and how far it has come. Written to disk before the action begins and after it has ended. */
export interface OutcomeEntry {
  readonly target: { readonly pid: number; readonly start_id: string; readonly startTicks: number };
  readonly action: Action;
  readonly stage: number;
  /** `started` is what a process that was killed in the middle leaves behind. */
  readonly progress: 'started' | 'done';
  readonly outcome: 'success' | 'skipped' | 'failed' | 'blocked' | null;
  readonly reason: string;
  readonly gates: readonly GateResult[];
  readonly startedAt: string;
  readonly durationMs: number;
  /** What was seen of the tree right before it was acted on; verification measures against it. */
  readonly members?: ActionOutcome['members'];
  /** Tells its command line again, should somebody start it anew. */
  readonly commandMark?: string;
  readonly timeToDeathMs?: number | null;
  readonly forced?: boolean;
  readonly throttle?: ActionOutcome['throttle'];
  readonly escalation?: string;
}
