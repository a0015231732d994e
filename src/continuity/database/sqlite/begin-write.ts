import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../base/fault.ts';
import { pause } from '../../../base/pause.ts';
import { sleep } from '../../../base/sleep.ts';
import { LIMITS } from '../../../base/limits.ts';
import { findLockHolder } from '../../../system/find-lock-holder.ts';
import { monotonicMs } from '../../../system/monotonic-ms.ts';
import { isStopped } from '../../../system/process-identity.ts';
import { isBusy, sqliteFault } from './sqlite-fault.ts';

const RETRY_MS = 5;

interface StoreFile {
  readonly path: string;
  readonly inode: number | undefined;
}

/** Starts a transaction with the write lock. Waits without blocking the thread; a holder that is stopped is reported at once. */
export async function beginWrite(
  connection: DatabaseSync,
  { path, inode }: StoreFile,
  waitMs: number,
): Promise<void> {
  const throwIfWaitOver = watchStore(path, waitMs);
  for (let attempt = 0; !tryBegin(connection, path, waitMs); attempt += 1) {
    throwIfWaitOver();
    await sleep(Math.min(10, 1 + attempt));
  }
  if (inode === undefined || statSync(path, { throwIfNoEntry: false })?.ino === inode) return;
  connection.exec('ROLLBACK');
  throw replaced(path);
}

/** Repeats an action while another process keeps the store locked, for example because it closes it. */
export function waitForStore<T>(path: string, waitMs: number, action: () => T): T {
  const throwIfWaitOver = watchStore(path, waitMs);
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    throwIfWaitOver();
    pause(RETRY_MS);
  }
}

/** Returns a function that throws when the wait is over: at the deadline, or when the process that holds the lock is stopped. */
function watchStore(path: string, waitMs: number): () => void {
  const startedAt = monotonicMs();
  return () => {
    const waitedMs = Math.round(monotonicMs() - startedAt);
    if (waitedMs < Math.min(waitMs, LIMITS.stoppedHolderMs)) return;
    const holder = findLockHolder([path, `${path}-shm`]);
    const stopped = holder !== undefined && isStopped(holder);
    if (stopped || waitedMs >= waitMs) throw busy(path, waitedMs, holder, stopped);
  };
}

function tryBegin(connection: DatabaseSync, path: string, waitMs: number): boolean {
  try {
    connection.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw sqliteFault(error, path);
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${waitMs}`);
  }
}

/** A write to a file that a restore has replaced would be lost. */
function replaced(path: string): Fault {
  return new Fault('E_CONFLICT', `The database ${path} was replaced while this call had it open.`, {
    hint: 'Retry with the same request id.',
    details: { path, reason: 'replaced' },
    unchanged: true,
  });
}

function busy(path: string, waitedMs: number, holder: number | undefined, stopped: boolean): Fault {
  const who =
    holder === undefined ? 'another process' : `a ${stopped ? 'stopped ' : ''}process (pid ${holder})`;
  return new Fault('E_TIMEOUT', `The database ${path} is locked by ${who}; waited ${waitedMs} ms.`, {
    hint: stopped
      ? `Continue it with "kill -CONT ${holder}" or kill it, then retry with the same request id.`
      : 'Retry with the same request id. VYBE_BUSY_TIMEOUT_MS sets how long to wait.',
    details: {
      path,
      reason: 'locked',
      waited_ms: waitedMs,
      ...(holder !== undefined && { holder_pid: String(holder) }),
      ...(stopped && { stopped: true }),
    },
    unchanged: true,
  });
}
