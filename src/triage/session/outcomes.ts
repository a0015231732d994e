import type { Action } from '../assessment.ts';
import type { ActionOutcome } from '../actions/execute-action.ts';
import type { GateResult } from '../gates/gate.ts';
import type { Session } from './session.ts';

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

/** The outcomes of a session, each checkpoint a whole file on disk. */
export interface OutcomeLog {
  readonly entries: () => readonly OutcomeEntry[];
  readonly find: (key: string) => OutcomeEntry | undefined;
  readonly record: (entry: OutcomeEntry) => void;
}

/** Opens the outcomes of a session for reading and for more. */
export function openOutcomes(session: Session): OutcomeLog {
  const stored = session.read('outcomes.json');
  const entries = new Map((stored?.entries ?? []).map((entry) => [outcomeKey(entry), entry]));
  return {
    entries: () => [...entries.values()],
    find: (key) => entries.get(key),
    record: (entry) => {
      entries.set(outcomeKey(entry), entry);
      session.write('outcomes.json', { session_id: session.id, entries: [...entries.values()] });
      if (entry.progress === 'done') {
        const { target, action, outcome, reason } = entry;
        session.audit('action.ended', {
          pid: target.pid,
          start_id: target.start_id,
          action,
          outcome,
          reason,
        });
      }
    },
  };
}

/** Names an action of a plan: what is done to which process. */
export function outcomeKey({ target, action }: Pick<OutcomeEntry, 'target' | 'action'>): string {
  return `${target.pid}:${target.startTicks}:${action}`;
}
