import { Fault } from '../../../base/fault.ts';
import { faultFromSystem, systemCode } from '../../../base/system-fault.ts';

interface Meaning {
  readonly code: string;
  readonly reason: string;
  readonly says: string;
  readonly hint: string;
}

/** What SQLite's primary result codes mean to a caller. The engine's own text may quote data, so it stays the cause. */
const MEANINGS: Readonly<Record<number, Meaning>> = {
  5: busy(),
  6: busy(),
  8: {
    code: 'E_FORBIDDEN',
    reason: 'read-only',
    says: 'is read-only',
    hint: 'Check the owner and mode of the file and its folder, or name another with --db-path.',
  },
  10: {
    code: 'E_IO',
    reason: 'input-output',
    says: 'could not be read or written',
    hint: 'Check the disk and its free space, then run the command again; what was answered before is safe.',
  },
  11: damaged('is damaged'),
  13: {
    code: 'E_IO',
    reason: 'disk-full',
    says: 'cannot grow: the disk is full',
    hint: 'Free some space, then run the command again with the same request id.',
  },
  14: {
    code: 'E_IO',
    reason: 'cannot-open',
    says: 'could not be opened',
    hint: 'Check that its folder exists and can be entered and written.',
  },
  18: {
    code: 'E_VALIDATION',
    reason: 'too-big',
    says: 'cannot take a value of this size',
    hint: 'Send less.',
  },
  26: damaged('is not a database'),
};

/** Turns an error of the engine into a fault that names the file; everything else passes through. */
export function sqliteFault(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (code === undefined)
    return systemCode(error) === undefined ? error : faultFromSystem(error, 'use', path);
  const meaning = MEANINGS[code & 0xff];
  if (meaning === undefined) {
    return new Fault('E_UNKNOWN', `The database ${path} refused a statement (SQLite code ${code}).`, {
      details: { path, sqlite_code: code },
      cause: error,
    });
  }
  return new Fault(meaning.code, `The database ${path} ${meaning.says}.`, {
    hint: meaning.hint,
    details: { path, reason: meaning.reason, sqlite_code: code },
    cause: error,
  });
}

/** The extended result code of an engine error, or nothing for any other. */
export function errorCode(error: unknown): number | undefined {
  if (systemCode(error) !== 'ERR_SQLITE_ERROR') return undefined;
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode : undefined;
}

function busy(): Meaning {
  return {
    code: 'E_TIMEOUT',
    reason: 'locked',
    says: 'is locked by another process',
    hint: 'Run the command again with the same request id; VYBE_BUSY_TIMEOUT_MS sets how long it waits.',
  };
}

function damaged(says: string): Meaning {
  return {
    code: 'E_INTEGRITY',
    reason: 'damaged',
    says,
    hint: 'Keep a copy of the file as it is, then restore a backup or an export.',
  };
}
