import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../base/fault.ts';
import { pause } from '../../../base/pause.ts';
import { faultFromSystem } from '../../../base/system-fault.ts';
import { APPLICATION_ID, MIGRATIONS } from './migrations.ts';
import { errorCode } from './sqlite-fault.ts';

export interface MigrateOptions {
  /** How long to wait for other processes that have the store open. */
  readonly waitMs: number;
  readonly steps?: readonly (readonly string[])[];
}

const BUSY = 5;
const LOCKED = 6;
const RETRY_MS = 25;

/**
 * Brings a store with an older schema to the newest one. Contract: nobody else has the file open meanwhile, older versions of the program
 * included; a copy of the store as it was lies beside it before anything is changed; it is changed as a whole or not at all. Returns where
 * the copy is, or nothing when another process has migrated the store already.
 */
export function migrateStore(path: string, options: MigrateOptions): string | undefined {
  const deadline = Date.now() + options.waitMs;
  for (;;) {
    // A connection that waits would itself keep another process from being alone, so each attempt opens and closes its own.
    const connection = new DatabaseSync(path, { timeout: RETRY_MS, enableForeignKeyConstraints: true });
    try {
      if (becomeAlone(connection)) return migrateAlone(connection, path, options.steps ?? MIGRATIONS);
    } finally {
      connection.close();
    }
    if (Date.now() > deadline) throw inUse(path);
    pause(RETRY_MS + Math.random() * RETRY_MS);
  }
}

/** Creates the tables of an empty store, or those of the steps that are missing; the caller holds the right to write. */
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

/** The change to write-ahead logging does not wait for other processes by itself. */
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
 * Only a connection that has the file to itself can leave write-ahead logging: every other one, of whatever version of the program, holds a
 * shared lock on it. In exclusive mode the lock that this takes is kept until the connection is closed.
 */
function becomeAlone(connection: DatabaseSync): boolean {
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE');
    const mode = connection.prepare('PRAGMA journal_mode = DELETE').get()?.['journal_mode'];
    if (mode !== 'delete') return false;
    // A store that was in this mode before has taken no lock yet.
    connection.exec('BEGIN EXCLUSIVE; COMMIT');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function migrateAlone(
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

/** Copies through the connection: to open the file a second time and close it would give up this process's locks on it. */
function copyStore(connection: DatabaseSync, path: string, version: number): string {
  const time = new Date().toISOString().replaceAll(/[-:.]/gu, '');
  const backup = `${path}.schema-${version}.${time}.bak`;
  try {
    closeSync(openSync(backup, 'wx', 0o600));
    connection.prepare('VACUUM INTO ?').run(backup);
    // Like the store itself, so that it can simply be put back in its place.
    const copy = new DatabaseSync(backup);
    copy.exec('PRAGMA journal_mode = WAL');
    copy.close();
    const file = openSync(backup, 'r+');
    fsyncSync(file);
    closeSync(file);
    return backup;
  } catch (error) {
    rmSync(backup, { force: true });
    throw errorCode(error) === undefined ? faultFromSystem(error, 'write the copy', backup) : error;
  }
}

function isBusy(error: unknown): boolean {
  const code = (errorCode(error) ?? 0) & 0xff;
  return code === BUSY || code === LOCKED;
}

function inUse(path: string): Fault {
  return new Fault(
    'E_CONFLICT',
    `The database ${path} needs a new schema, and other processes have it open.`,
    {
      hint: 'End the programs that use it, older versions of deed and vybe included, then run the command again.',
      details: { path, reason: 'in-use' },
    },
  );
}
