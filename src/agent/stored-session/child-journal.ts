import type { SessionJournal } from '../session-journal.ts';

/**
 * The journal of a sub-agent's session: only its spending, in the journal of the session that called it. A call of a sub-agent is one
 * step of its caller, so its own steps are not resumed.
 */
export function createChildJournal(journal: SessionJournal, child: string): SessionJournal {
  return {
    hold: (action) => action(),
    append: (record) => {
      if (record.type === 'llm.requested' || record.type === 'llm.settled') {
        const { type, entry } = record;
        journal.append({ type, entry, child });
      } else if (record.type === 'tool.finished') {
        journal.append({ type: 'accounting.added', entry: record.entry });
      } else if ('entries' in record) {
        for (const entry of record.entries) journal.append({ type: 'accounting.added', entry });
      }
    },
    // The caller's own recorder reports the problem with its next step.
    abandon: () => {},
    close: () => {},
  };
}
