import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../base/fault.ts';
import { faultFromSystem, systemCode } from '../../../base/system-fault.ts';
import { ensurePrivateFolder } from '../../../system/private-folder.ts';
import type { Database } from '../database.ts';
import { lostWrites } from '../lost-writes.ts';
import type { WriteRecord } from '../write-record.ts';
import { createSqliteDatabase, type SqliteDatabase, type StoreOptions } from './sqlite-database.ts';
import { sqliteFault } from './sqlite-fault.ts';
import { assertNotRemoved } from './assert-not-removed.ts';
import { BUSY_TIMEOUT_MS, connect, connectReadOnly, type ConnectOptions } from './connect-sqlite.ts';
import { waitForStore } from './begin-write.ts';
import { openLockedCopy } from './read-locked-copy.ts';
import { READ_WAIT_MS, readStoreFile } from './read-store-file.ts';
import { openMigratedCopy } from './open-migrated-copy.ts';
import { applyMigrations, enterWal, migrateStore } from './migrate-sqlite.ts';
import { APPLICATION_ID, STORE_SCHEMA_VERSION } from './migrations.ts';

export interface OpenOptions extends StoreOptions, ConnectOptions {
  /** For writes: called with the path of the backup after a migration. */
  readonly onMigrated?: (backup: string) => void;
}

/** Opens a store for writing, and creates or migrates it if needed; several processes may do this at the same time. */
export function openSqlite(path: string, options: OpenOptions = {}): SqliteDatabase {
  ensurePrivateFolder(dirname(path));
  assertNotRemoved(path, options.record);
  createPrivateFile(path);
  assertFile(path, options.record);
  return withSqliteFaults(path, () => {
    const { connection, inode } = openConnection(path, options);
    return createSqliteDatabase(connection, path, STORE_SCHEMA_VERSION, { ...options, inode });
  });
}

interface Opened {
  readonly connection: DatabaseSync;
  readonly inode: number;
}

function openConnection(path: string, options: OpenOptions): Opened {
  const waitMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  // Before the connection, so that a file which replaces this one meanwhile is noticed.
  const inode = statSync(path).ino;
  const connection = connect(path, { ...options, busyTimeoutMs: 0 }, false);
  const version = waitForStore(path, waitMs, () => versionOf(connection, path));
  connection.exec(`PRAGMA busy_timeout = ${waitMs}`);
  if (version === STORE_SCHEMA_VERSION) {
    // A restore that was killed leaves a store without a write-ahead log.
    if (!usesWal(connection)) enterWal(connection, waitMs);
    return { connection, inode };
  }
  if (version === 0) {
    create(connection, path, waitMs);
    return { connection, inode };
  }
  connection.close();
  const backup = migrateStore(path, { waitMs });
  if (backup !== undefined) options.onMigrated?.(backup);
  return { inode: statSync(path).ino, connection: connect(path, options, false) };
}

function usesWal(connection: DatabaseSync): boolean {
  return connection.prepare('PRAGMA journal_mode').get()?.['journal_mode'] === 'wal';
}

/** Opens a store for reading, without changing it. A store that does not exist reads as empty; one with an older schema is read from a migrated copy. */
export function openSqliteReadOnly(path: string, options: OpenOptions = {}): SqliteDatabase {
  assertFile(path, options.record);
  assertNotRemoved(path, options.record);
  if (!existsSync(path) || statSync(path).size === 0) return openEmpty(path, options);
  return withSqliteFaults(path, () => {
    const connection = connectReadOnly(path, options);
    const version = versionOf(connection, path);
    if (version === 0) {
      connection.close();
      return openEmpty(path, options);
    }
    const current = version < STORE_SCHEMA_VERSION ? openMigratedCopy(connection, version) : connection;
    return createSqliteDatabase(current, path, STORE_SCHEMA_VERSION, options);
  });
}

/** Reads the schema version of a file; undefined if there is no store. */
export function readSchemaVersion(path: string, record?: WriteRecord): number | undefined {
  assertFile(path, record);
  if (!existsSync(path) || statSync(path).size === 0) return undefined;
  return withSqliteFaults(path, () => readStoreFile(path, (connection) => versionOf(connection, path)));
}

function openEmpty(path: string, options: OpenOptions): SqliteDatabase {
  const connection = new DatabaseSync(':memory:');
  applyMigrations(connection, 0);
  connection.exec('PRAGMA query_only = ON');
  return createSqliteDatabase(connection, path, STORE_SCHEMA_VERSION, options);
}

/** Changes when a process writes to the file or opens it for writing. */
function fileStamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return `${stats?.mtimeMs} ${stats?.size} ${existsSync(`${path}-wal`)}`;
}

/**
 * Reads a store without creating side files. If no process is writing, the file is read without locks; if a writer appears meanwhile,
 * the result may be inconsistent, so the work is repeated with locks. Contract: the work only reads, and may be called twice.
 */
export async function readSqlite<T>(
  path: string,
  options: OpenOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const before = fileStamp(path);
  const busyTimeoutMs = Math.min(options.busyTimeoutMs ?? READ_WAIT_MS, READ_WAIT_MS);
  const attempt = async (shared: boolean): Promise<T> => {
    const database = openSqliteReadOnly(path, { ...options, busyTimeoutMs, shared });
    try {
      return await work(database);
    } finally {
      database.close();
    }
  };
  try {
    const result = await attempt(false);
    if (fileStamp(path) === before) return result;
  } catch (error) {
    if (isLocked(error)) return readCopy(path, options, work, error);
    if (fileStamp(path) === before) throw error;
  }
  try {
    return await attempt(true);
  } catch (error) {
    if (isLocked(error)) return readCopy(path, options, work, error);
    throw error;
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Fault && error.details['reason'] === 'locked';
}

async function readCopy<T>(
  path: string,
  options: OpenOptions,
  work: (database: Database) => Promise<T>,
  cause: unknown,
): Promise<T> {
  const copy = openLockedCopy(path);
  if (copy === undefined) throw cause;
  try {
    const version = versionOf(copy.connection, path);
    if (version < STORE_SCHEMA_VERSION) applyMigrations(copy.connection, version);
    copy.connection.exec('PRAGMA query_only = ON');
    return await work(createSqliteDatabase(copy.connection, path, STORE_SCHEMA_VERSION, options));
  } finally {
    copy.connection.close();
    copy.remove();
  }
}

/** A pipe or device would block, or read as empty. */
function assertFile(path: string, record: WriteRecord | undefined): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  if ((record?.read() ?? 0) > 0) throw lostWrites(path, 'it is not a file');
  throw notAStore(path);
}

/** Creates the file with its mode before SQLite opens it; SQLite gives its side files the same mode. */
function createPrivateFile(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw faultFromSystem(error, 'create the database', path);
  }
}

interface Identity {
  readonly version: number;
  readonly owner: number;
  readonly filled: 0 | 1;
}

/** One statement, so that all values are from one state: another process may create the tables at any moment. */
const IDENTITY = `SELECT user_version AS version, application_id AS owner, EXISTS (SELECT 1 FROM sqlite_master) AS filled
  FROM pragma_user_version, pragma_application_id`;

function versionOf(connection: DatabaseSync, path: string): number {
  const { version, owner, filled } = connection.prepare(IDENTITY).get() as unknown as Identity;
  if (version > STORE_SCHEMA_VERSION && owner === APPLICATION_ID) throw tooNew(path, version);
  const isDeedStore = owner === APPLICATION_ID && version > 0;
  if (isDeedStore || (version === 0 && owner === 0 && filled === 0)) return version;
  throw notAStore(path);
}

function notAStore(path: string): Fault {
  return new Fault('E_CONFIG', `${path} is not a deed database.`, {
    hint: 'Pass another file to --db-path.',
    details: { path },
  });
}

/** Creates the tables of an empty store; several processes may try at the same time, and one of them does it. */
function create(connection: DatabaseSync, path: string, waitMs: number): void {
  enterWal(connection, waitMs);
  connection.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have created them while this one waited for the lock.
    applyMigrations(connection, versionOf(connection, path));
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function withSqliteFaults<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw sqliteFault(error, path);
  }
}

function tooNew(path: string, version: number): Fault {
  return new Fault('E_CONFIG', `The database ${path} was written by a newer version of this program.`, {
    hint: 'Run "deed update", or pass another file to --db-path.',
    details: { path, schema_version: version, supported: STORE_SCHEMA_VERSION },
  });
}
