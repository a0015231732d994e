import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import { damaged } from '../../base/damaged.ts';
import { readOwnText } from '../../system/own-file.ts';
import type { SessionRecord } from '../session-record.ts';
import { parseRecord } from './record-schema.ts';
import { restoreSession, type StoredSession } from './restore-session.ts';
import { sessionFile } from './session-file.ts';

const MAX_BYTES = 256 * 1024 * 1024;
const HINT = 'It cannot be resumed. Delete the file, or restore it from a backup.';

/** Reads a stored session. Throws E_NOT_FOUND for an unknown id, and E_DAMAGED with the number of a line that cannot be read. */
export function readSession(folder: string, id: string): StoredSession {
  const records = readSessionRecords(folder, id);
  try {
    return restoreSession(records);
  } catch (error) {
    throw damagedSession(sessionFile(folder, id), errorMessage(error), error);
  }
}

/** Reads the records of a stored session. Throws E_NOT_FOUND for an unknown one. */
export function readSessionRecords(folder: string, id: string): readonly SessionRecord[] {
  const records = readSessionFile(sessionFile(folder, id));
  if (records === undefined) throw unknownSession(id);
  const [opening] = records;
  if (opening?.type === 'session.opened' && opening.id !== id)
    throw damagedSession(sessionFile(folder, id), `it is the file of session ${opening.id}`);
  return records;
}

/** Reads the records of a session file; undefined when it does not exist. A last line without its end was not written completely. */
export function readSessionFile(path: string): readonly SessionRecord[] | undefined {
  const text = readOwnText(path, { maxBytes: MAX_BYTES, hint: HINT });
  if (text === undefined) return undefined;
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      try {
        return parseRecord(line);
      } catch (error) {
        const problem = errorMessage(error);
        throw damagedSession(path, `line ${index + 1}: ${problem}`, error);
      }
    });
}

function damagedSession(path: string, problem: string, cause?: unknown): Fault {
  return damaged(path, problem, HINT, cause);
}

function unknownSession(id: string): Fault {
  return new Fault('E_NOT_FOUND', `Session "${id}" does not exist.`, {
    hint: '"deed agent sessions list" lists the sessions; they are kept for 30 days.',
    details: { field: 'id', id },
  });
}
