import { Fault } from '../../../base/fault.ts';
import { faultFromSystem, systemCode } from '../../../base/system-fault.ts';

interface FaultInfo {
  readonly code: string;
  readonly reason: string;
  readonly problem: string;
  readonly hint: string;
}

/** Faults by SQLite's primary result code. SQLite's own message may quote data, so it is only the cause. */
const FAULTS: Readonly<Record<number, FaultInfo>> = {
  5: busy(),
  6: busy(),
  8: {
    code: 'E_FORBIDDEN',
    reason: 'read-only',
    problem: 'is read-only',
    hint: 'Check the owner and mode of the file and its folder, or pass another file to --db-path.',
  },
  10: {
    code: 'E_IO',
    reason: 'input-output',
    problem: 'cannot be read or written',
    hint: 'Check the disk and its free space, then retry. Acknowledged writes are stored.',
  },
  11: damaged('is damaged'),
  13: {
    code: 'E_IO',
    reason: 'disk-full',
    problem: 'cannot be extended: the disk is full',
    hint: 'Free some disk space, then retry with the same request id.',
  },
  14: {
    code: 'E_IO',
    reason: 'cannot-open',
    problem: 'cannot be opened',
    hint: 'Check that its folder exists and is accessible and writable.',
  },
  18: {
    code: 'E_VALIDATION',
    reason: 'too-big',
    problem: 'cannot store a value of this size',
    hint: 'Send a smaller value.',
  },
  26: damaged('is not a database'),
};

/** Converts a SQLite error to a fault that names the file; returns other errors unchanged. */
export function sqliteFault(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (code === undefined)
    return systemCode(error) === undefined ? error : faultFromSystem(error, 'use', path);
  const info = FAULTS[code & 0xff];
  if (info === undefined) {
    return new Fault('E_UNKNOWN', `The database ${path} rejected a statement (SQLite code ${code}).`, {
      details: { path, sqlite_code: code },
      cause: error,
    });
  }
  return new Fault(info.code, `The database ${path} ${info.problem}.`, {
    hint: info.hint,
    details: { path, reason: info.reason, sqlite_code: code },
    cause: error,
  });
}

/** SQLite's primary result codes. */
export const SQLITE = { error: 1, busy: 5, locked: 6, readOnly: 8, inputOutput: 10, cannotOpen: 14 } as const;

/** The primary result code of a SQLite error; undefined for other errors. */
export function primaryCode(error: unknown): number | undefined {
  const code = errorCode(error);
  return code === undefined ? undefined : code & 0xff;
}

/** Whether another process keeps the file locked. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE.busy || code === SQLITE.locked;
}

/** The extended result code of a SQLite error; undefined for other errors. */
export function errorCode(error: unknown): number | undefined {
  if (systemCode(error) !== 'ERR_SQLITE_ERROR') return undefined;
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode : undefined;
}

function busy(): FaultInfo {
  return {
    code: 'E_TIMEOUT',
    reason: 'locked',
    problem: 'is locked by another process',
    hint: 'Retry with the same request id. VYBE_BUSY_TIMEOUT_MS sets how long to wait.',
  };
}

function damaged(problem: string): FaultInfo {
  return {
    code: 'E_DAMAGED',
    reason: 'damaged',
    problem,
    hint: 'Run "deed store restore --dry-run" to restore the newest backup; the damaged file is kept.',
  };
}
