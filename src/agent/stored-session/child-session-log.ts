import type { SessionLog } from '../session-log.ts';

/**
 * The log of a sub-agent's session: only its spending, in the log of the session that called it. A call of a sub-agent is one
 * step of its caller, so its own steps are not resumed.
 */
export function createChildSessionLog(sessionLog: SessionLog, child: string): SessionLog {
  return {
    hold: (action) => action(),
    append: (record) => {
      if (record.type === 'llm.requested' || record.type === 'llm.settled') {
        const { type, entry } = record;
        sessionLog.append({ type, entry, child });
      } else if (record.type === 'tool.finished') {
        sessionLog.append({ type: 'accounting.added', entry: record.entry });
      } else if ('entries' in record) {
        for (const entry of record.entries) sessionLog.append({ type: 'accounting.added', entry });
      }
    },
    // The caller's own recorder reports the problem with its next step.
    abandon: () => {},
    close: () => {},
  };
}
