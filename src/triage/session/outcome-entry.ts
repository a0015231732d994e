import type { Action } from '../assessment.ts';
import type { ActionOutcome } from '../actions/execute-action.ts';
import type { GateResult } from '../gates/gate.ts';

/** One action of a plan and its progress. Written to disk before and after the action. */
export interface OutcomeEntry {
  readonly target: { readonly pid: number; readonly start_id: string; readonly startTicks: number };
  readonly action: Action;
  readonly stage: number;
  /** `started` remains when apply was killed during the action. */
  readonly progress: 'started' | 'done';
  readonly outcome: 'success' | 'skipped' | 'failed' | 'blocked' | null;
  readonly reason: string;
  readonly gates: readonly GateResult[];
  readonly startedAt: string;
  readonly durationMs: number;
  /** The members of the tree right before the action; verify compares with them. */
  readonly members?: ActionOutcome['members'];
  /** A hash of its command line, to recognize a restarted process. */
  readonly commandMark?: string;
  readonly timeToDeathMs?: number | null;
  readonly forced?: boolean;
  readonly throttle?: ActionOutcome['throttle'];
  readonly escalation?: string;
}
