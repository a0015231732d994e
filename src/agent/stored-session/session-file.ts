import {
  closeSync,
  constants,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { faultFromSystem, systemCode } from '../../base/system-fault.ts';
import { isLocked, withLock } from '../../system/lock.ts';
import { writeWhole } from '../../system/durable-file.ts';
import { renderStored } from '../../system/stored-document.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { openFile } from '../../system/open-file.ts';
import type { SessionLog } from '../session-log.ts';
import { redactRecord } from './redact-record.ts';

const ID = /^[0-9a-f]{32}$/u;
const LINE_FEED = 10;

/** Returns the file of a session. Throws a Fault for text that is not an id. */
export function sessionFile(folder: string, id: string): string {
  if (ID.test(id)) return join(folder, `${id}.jsonl`);
  throw new Fault('E_VALIDATION', `Invalid session id: "${id}".`, {
    hint: 'Pass the 32 hexadecimal digits of an id; on the command line a unique prefix is enough. "deed agent sessions list" lists them.',
    details: { field: 'id', id },
  });
}

/** Returns the lock that a process holds while it runs a session. */
export function lockFile(folder: string, id: string): string {
  return join(folder, `${id}.lock`);
}

/** Throws E_CONFLICT when a process runs the session. */
export function assertNotRunning(folder: string, id: string): void {
  if (!isLocked(lockFile(folder, id))) return;
  throw new Fault('E_CONFLICT', `Session ${id} is running.`, {
    hint: 'Wait until it ends, or continue a copy of it with --fork.',
    details: { field: 'resume', id },
  });
}

/**
 * Opens the file of a session for appending, one JSON record with its checksum a line. It is private and created by the first record. Each record is one
 * write, so a killed process leaves whole records; an incomplete record, from a full disk or a power loss, is removed when the file is
 * opened again.
 */
export function openSessionFile(folder: string, id: string, clock: Clock): SessionLog {
  const path = sessionFile(folder, id);
  let file: number | undefined;
  return {
    hold: async (action) => {
      ensurePrivateFolder(folder);
      return withLock(lockFile(folder, id), action, { waitMs: 0, nothingChangedYet: true });
    },
    append: (record, { durable = false } = {}) => {
      const line = renderStored({ at: clock.now(), ...redactRecord(record) }, 0);
      try {
        file ??= open(path, folder, record.type === 'session.opened');
        writeWhole(file, line);
        if (durable) fdatasyncSync(file);
      } catch (error) {
        throw faultFromSystem(error, 'write', path);
      }
    },
    abandon: () => {
      try {
        renameSync(path, `${path}.incomplete`);
      } catch (error) {
        // Without a file there is nothing to resume.
        if (systemCode(error) !== 'ENOENT') throw faultFromSystem(error, 'rename', path);
      }
    },
    close: () => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

function open(path: string, folder: string, isNew: boolean): number {
  ensurePrivateFolder(folder);
  const { O_CREAT, O_EXCL, O_APPEND, O_RDWR, O_NOFOLLOW } = constants;
  const flags = O_RDWR | O_APPEND | O_NOFOLLOW;
  if (isNew) return openSync(path, flags | O_CREAT | O_EXCL, 0o600);
  const file = openFile(path, flags);
  const content = readFileSync(file);
  if (content.at(-1) !== LINE_FEED) ftruncateSync(file, content.lastIndexOf(LINE_FEED) + 1);
  return file;
}
