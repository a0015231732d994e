import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../base/fault.ts';
import { pause } from '../../../base/pause.ts';
import { faultFromSystem } from '../../../base/system-fault.ts';
import { APPLICATION_ID, MIGRATIONS } from './migrations.ts';
import { errorCode, isBusy } from './sqlite-fault.ts';

export interface MigrateOptions {
  /** How long to wait for other processes that have the store open. */
  readonly waitMs: number;
  readonly steps?: readonly (readonly string[])[];
}

const RETRY_MS = 25;

/**
 * Migrates a store with an older schema to the newest one. Contract: no other process, of any version of the program, has the file open
 * meanwhile; a backup is written next to the store before anything is changed; the migration is applied completely or not at all.
 * Returns the path of the backup, or undefined if another process has already migrated the store.
 */
export function migrateStore(path: string, options: MigrateOptions): string | undefined {
  const deadline = Date.now() + options.waitMs;
  for (;;) {
    // A connection that waits would keep other processes from getting the exclusive lock, so each attempt opens and closes its own.
    const connection = new DatabaseSync(path, { timeout: RETRY_MS, enableForeignKeyConstraints: true });
    try {
      if (acquireExclusiveLock(connection))
        return migrateExclusively(connection, path, options.steps ?? MIGRATIONS);
    } finally {
      connection.close();
    }
    if (Date.now() > deadline) throw inUse(path);
    pause(RETRY_MS + Math.random() * RETRY_MS);
  }
}

/** Applies the migration steps after version `from`; the caller holds the write lock. */
export function applyMigrations(
  connection: DatabaseSync,
  from: number,
  steps: readonly (readonly string[])[] = MIGRATIONS,
): void {
  for (const step of steps.slice(from)) for (const statement of step) connection.exec(statement);
  if (from >= steps.length) return;
  connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  connection.exec(`PRAGMA user_version = ${steps.length}`);
}

/** Switches to write-ahead logging; the pragma itself does not wait for other processes. */
export function enterWal(connection: DatabaseSync, waitMs: number): void {
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      connection.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      pause(5);
    }
  }
}

/**
 * Only the sole connection to a file can leave write-ahead logging, because every open connection holds a shared lock. In exclusive
 * mode the lock taken here is kept until the connection is closed.
 */
function acquireExclusiveLock(connection: DatabaseSync): boolean {
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE');
    const mode = connection.prepare('PRAGMA journal_mode = DELETE').get()?.['journal_mode'];
    if (mode !== 'delete') return false;
    // If the store was in this mode before, no lock has been taken yet.
    connection.exec('BEGIN EXCLUSIVE; COMMIT');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function migrateExclusively(
  connection: DatabaseSync,
  path: string,
  steps: readonly (readonly string[])[],
): string | undefined {
  const from = Number(connection.prepare('PRAGMA user_version').get()?.['user_version']);
  try {
    if (from === 0 || from >= steps.length) return undefined;
    const backup = copyStore(connection, path, from);
    try {
      connection.exec('BEGIN EXCLUSIVE');
      applyMigrations(connection, from, steps);
      connection.exec('COMMIT');
    } catch (error) {
      if (connection.isTransaction) connection.exec('ROLLBACK');
      rmSync(backup, { force: true });
      throw error;
    }
    return backup;
  } finally {
    connection.exec('PRAGMA journal_mode = WAL');
  }
}

/** Copies through the connection: opening and closing the file a second time would release this process's locks on it. */
function copyStore(connection: DatabaseSync, path: string, version: number): string {
  const time = new Date().toISOString().replaceAll(/[-:.]/gu, '');
  const backup = `${path}.schema-${version}.${time}.bak`;
  try {
    closeSync(openSync(backup, 'wx', 0o600));
    connection.prepare('VACUUM INTO ?').run(backup);
    // The same journal mode as the store, so that the backup can be restored by renaming it.
    const copy = new DatabaseSync(backup);
    copy.exec('PRAGMA journal_mode = WAL');
    copy.close();
    const file = openSync(backup, 'r+');
    fsyncSync(file);
    closeSync(file);
    return backup;
  } catch (error) {
    rmSync(backup, { force: true });
    throw errorCode(error) === undefined ? faultFromSystem(error, 'write the backup', backup) : error;
  }
}

function inUse(path: string): Fault {
  return new Fault('E_CONFLICT', `The database ${path} must be migrated, but other processes have it open.`, {
    hint: 'Stop all programs that use it, including older versions of deed and vybe, then retry.',
    details: { path, reason: 'in-use' },
  });
}
