import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { primaryCode, SQLITE } from './sqlite-fault.ts';

/** Enough for a hundred processes that write continuously. */
export const BUSY_TIMEOUT_MS = 20_000;

export interface ConnectOptions {
  /** How long a statement waits for another process's write. */
  readonly busyTimeoutMs?: number;
  /** For reads: always use locks, which creates side files, even if no process is writing. */
  readonly shared?: boolean;
}

export function connect(path: string, options: ConnectOptions, readOnly: boolean): DatabaseSync {
  return new DatabaseSync(path, {
    readOnly,
    timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
  });
}

/** In a read-only folder, or on a full disk, SQLite cannot create its shared-memory file; the store then has no writer either. */
export function connectReadOnly(path: string, options: ConnectOptions = {}): DatabaseSync {
  if (options.shared !== true && !existsSync(`${path}-wal`)) return connectImmutable(path);
  const connection = connect(path, options, true);
  try {
    connection.prepare('PRAGMA schema_version').get();
    return connection;
  } catch (error) {
    const code = primaryCode(error);
    connection.close();
    const hasNoWriter = code === SQLITE.readOnly || code === SQLITE.cannotOpen;
    if (!hasNoWriter && !(code === SQLITE.inputOutput && isEmptyLog(path))) throw error;
    return connectImmutable(path);
  }
}

/** A write that failed on a full disk leaves an empty log; the file alone is the whole store. */
function isEmptyLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** Opens a file that no process is writing, without locks and without side files. */
function connectImmutable(path: string): DatabaseSync {
  const url = encodeURI(path).replaceAll('?', '%3f').replaceAll('#', '%23');
  return new DatabaseSync(`file:${url}?immutable=1`, { readOnly: true });
}
