import { readLines } from '../../system/read-lines.ts';
import { sessionFile } from './session-file.ts';
import { parseRecord } from './record-schema.ts';
import { headOf, type SessionHead } from './session-head.ts';

/** Reads what a stored session was opened with; undefined if its file is damaged, or was written by another version. */
export async function readOpening(folder: string, id: string): Promise<SessionHead | undefined> {
  try {
    for await (const line of readLines(sessionFile(folder, id))) {
      const record = parseRecord(line);
      return record.type === 'session.opened' ? headOf({ id, head: record.head }) : undefined;
    }
  } catch {
    // The list shows such a session without its task.
  }
  return undefined;
}
