import type { Clock } from '../../base/clock.ts';
import type { SessionLog } from '../session-log.ts';
import { openSessionFile, sessionFile } from './session-file.ts';
import { readSessionFile } from './read-session.ts';

/**
 * Opens the file of a session that continues a copy of another one, up to its last complete record. The original is not changed and may
 * still run. What it has spent counts for the copy too.
 */
export function openForkedFile(folder: string, ids: ForkIds, clock: Clock): SessionLog {
  const file = openSessionFile(folder, ids.copy, clock);
  return {
    ...file,
    hold: (action) =>
      file.hold(async () => {
        for (const record of readSessionFile(sessionFile(folder, ids.original)) ?? [])
          file.append(
            record.type === 'session.opened' ? { ...record, id: ids.copy, forkedFrom: ids.original } : record,
          );
        return action();
      }),
  };
}

export interface ForkIds {
  readonly original: string;
  readonly copy: string;
}
