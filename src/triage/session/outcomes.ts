import type { OutcomeEntry } from './outcome-entry.ts';
import type { TriageSession } from './session.ts';

/** The outcomes of a triage session; each record rewrites the file. */
export interface OutcomeLog {
  readonly entries: () => readonly OutcomeEntry[];
  readonly find: (key: string) => OutcomeEntry | undefined;
  readonly record: (entry: OutcomeEntry) => void;
}

/** Opens the outcomes of a triage session for reading and recording. */
export function openOutcomes(session: TriageSession): OutcomeLog {
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

/** Returns the key of an action of a plan: process and action. */
export function outcomeKey({ target, action }: Pick<OutcomeEntry, 'target' | 'action'>): string {
  return `${target.pid}:${target.startTicks}:${action}`;
}
