import type { DatabaseSync } from 'node:sqlite';
import { connectReadOnly } from './connect-sqlite.ts';
import { openLockedCopy } from './read-locked-copy.ts';
import { isBusy } from './sqlite-fault.ts';

/** Readers wait for other processes only while these create or close the store. */
export const READ_WAIT_MS = 500;

/**
 * Reads a store synchronously, without changing it. If another process keeps it locked, a private copy is read, so that a stopped
 * process makes no reader wait. Contract: the work only reads, and may be called twice.
 */
export function readStoreFile<T>(path: string, work: (connection: DatabaseSync) => T): T {
  try {
    return closeAfter(connectReadOnly(path, { busyTimeoutMs: READ_WAIT_MS }), work);
  } catch (error) {
    const copy = isBusy(error) ? openLockedCopy(path) : undefined;
    if (copy === undefined) throw error;
    try {
      return closeAfter(copy.connection, work);
    } finally {
      copy.remove();
    }
  }
}

function closeAfter<T>(connection: DatabaseSync, work: (connection: DatabaseSync) => T): T {
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}
