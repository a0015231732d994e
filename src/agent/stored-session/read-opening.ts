import { readLines } from '../../system/read-lines.ts';
import { sessionFile } from './session-file.ts';
import { parseRecord } from './record-schema.ts';
import { setupOf, type SessionSetup } from './session-setup.ts';

/** Reads what a stored session was opened with; undefined if its file is damaged, or was written by another version. */
export async function readOpening(folder: string, id: string): Promise<SessionSetup | undefined> {
  try {
    for await (const line of readLines(sessionFile(folder, id))) {
      const record = parseRecord(line);
      return record.type === 'session.opened' ? setupOf({ id, head: record.head }) : undefined;
    }
  } catch {
    // The list shows such a session without its task.
  }
  return undefined;
}
