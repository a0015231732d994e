import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../base/fault.ts';
import { faultFromSystem, systemCode } from '../../../base/system-fault.ts';
import { ensurePrivateFolder } from '../../../system/private-folder.ts';
import type { Database } from '../database.ts';
import { createSqliteDatabase, type SqliteDatabase } from './sqlite-database.ts';
import { errorCode, sqliteFault } from './sqlite-fault.ts';
import { applyMigrations, enterWal, migrateStore } from './migrate-sqlite.ts';
import { APPLICATION_ID, SCHEMA_VERSION } from './migrations.ts';

export interface OpenOptions {
  /** How long a statement waits for another process's write. */
  readonly busyTimeoutMs?: number;
  /** To read: take part in the locking even when nobody writes, which leaves side files behind. */
  readonly shared?: boolean;
  /** To write: told where the copy of a store lies that was brought to a new schema. */
  readonly onMigrated?: (backup: string) => void;
}

/** Holds under fifty processes that write as fast as they can. */
const BUSY_TIMEOUT_MS = 20_000;

/** Opens a store to write, and creates or migrates it first; several processes may do so at once. */
export function openSqlite(path: string, options: OpenOptions = {}): SqliteDatabase {
  ensurePrivateFolder(dirname(path));
  createPrivateFile(path);
  return guarded(path, () => {
    const connection = openConnection(path, options);
    return createSqliteDatabase(connection, path, SCHEMA_VERSION);
  });
}

function openConnection(path: string, options: OpenOptions): DatabaseSync {
  const waitMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  const connection = connect(path, options, false);
  const version = versionOf(connection, path);
  if (version === SCHEMA_VERSION) return connection;
  if (version === 0) {
    create(connection, path, waitMs);
    return connection;
  }
  connection.close();
  const backup = migrateStore(path, { waitMs });
  if (backup !== undefined) options.onMigrated?.(backup);
  return connect(path, options, false);
}

/** Opens a store to read. Nothing is created, migrated or written; a store that is not there yet reads as an empty one. */
export function openSqliteReadOnly(path: string, options: OpenOptions = {}): SqliteDatabase {
  if (!existsSync(path) || statSync(path).size === 0) return openEmpty(path);
  return guarded(path, () => {
    const connection = connectReadOnly(path, options);
    const version = versionOf(connection, path);
    if (version === 0) {
      connection.close();
      return openEmpty(path);
    }
    if (version < SCHEMA_VERSION) throw needsUpgrade(path, version);
    return createSqliteDatabase(connection, path, version);
  });
}

/** The schema's version in a file, without opening it for more; nothing when there is no store. */
export function readSchemaVersion(path: string): number | undefined {
  if (!existsSync(path) || statSync(path).size === 0) return undefined;
  return guarded(path, () => {
    const connection = connectReadOnly(path, {});
    try {
      return versionOf(connection, path);
    } finally {
      connection.close();
    }
  });
}

function openEmpty(path: string): SqliteDatabase {
  const connection = new DatabaseSync(':memory:');
  applyMigrations(connection, 0);
  connection.exec('PRAGMA query_only = ON');
  return createSqliteDatabase(connection, path, SCHEMA_VERSION);
}

function connect(path: string, options: OpenOptions, readOnly: boolean): DatabaseSync {
  return new DatabaseSync(path, {
    readOnly,
    timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
  });
}

/** In a folder that cannot be written SQLite cannot make its shared index; the file then has no other writer either. */
function connectReadOnly(path: string, options: OpenOptions): DatabaseSync {
  if (options.shared !== true && !existsSync(`${path}-wal`)) return connectStill(path);
  const connection = connect(path, options, true);
  try {
    connection.prepare('PRAGMA schema_version').get();
    return connection;
  } catch (error) {
    const code = (errorCode(error) ?? 0) & 0xff;
    connection.close();
    if (code !== 8 && code !== 14) throw error;
    return connectStill(path);
  }
}

/** Reads a file that nobody writes at the moment, without locks and without side files. */
function connectStill(path: string): DatabaseSync {
  const url = encodeURI(path).replaceAll('?', '%3f').replaceAll('#', '%23');
  return new DatabaseSync(`file:${url}?immutable=1`, { readOnly: true });
}

/** Changes when somebody wrote to the file or began to. */
function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return `${stats?.mtimeMs} ${stats?.size} ${existsSync(`${path}-wal`)}`;
}

/**
 * Reads a store and leaves no trace. Without a writer the file is read as it is; if one came meanwhile, what was read may be of two
 * states, and the work is done again under the usual locks. Contract: the work only reads, and may be called twice.
 */
export async function readSqlite<T>(
  path: string,
  options: OpenOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const before = stampOf(path);
  const attempt = async (shared: boolean): Promise<T> => {
    const database = openSqliteReadOnly(path, { ...options, shared });
    try {
      return await work(database);
    } finally {
      database.close();
    }
  };
  try {
    const result = await attempt(false);
    if (stampOf(path) === before) return result;
  } catch (error) {
    if (stampOf(path) === before) throw error;
  }
  return attempt(true);
}

/** The file exists with its mode before SQLite sees it; SQLite gives its side files the same mode. */
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

/** One statement, because it sees one state: another process may create the tables and their marks at any moment. */
const IDENTITY = `SELECT user_version AS version, application_id AS owner, EXISTS (SELECT 1 FROM sqlite_master) AS filled
  FROM pragma_user_version, pragma_application_id`;

function versionOf(connection: DatabaseSync, path: string): number {
  const { version, owner, filled } = connection.prepare(IDENTITY).get() as unknown as Identity;
  if (version > SCHEMA_VERSION && owner === APPLICATION_ID) throw tooNew(path, version);
  const isOurs = owner === APPLICATION_ID && version > 0;
  if (isOurs || (version === 0 && owner === 0 && filled === 0)) return version;
  throw new Fault('E_CONFIG', `${path} is a database of another program.`, {
    hint: 'Name another file with --db-path.',
    details: { path },
  });
}

/** Fills an empty store; several processes may try at once, and one of them does it. */
function create(connection: DatabaseSync, path: string, waitMs: number): void {
  enterWal(connection, waitMs);
  connection.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have created it while this one waited for its turn.
    applyMigrations(connection, versionOf(connection, path));
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function guarded<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw sqliteFault(error, path);
  }
}

function tooNew(path: string, version: number): Fault {
  return new Fault('E_CONFIG', `The database ${path} was written by a newer version of this program.`, {
    hint: 'Run "deed update", or name another file with --db-path.',
    details: { path, schema_version: version, supported: SCHEMA_VERSION },
  });
}

function needsUpgrade(path: string, version: number): Fault {
  return new Fault('E_CONFIG', `The database ${path} has an older schema, and reading does not change it.`, {
    hint: 'Run "vybe upgrade" once; any write does it too.',
    details: { path, schema_version: version, supported: SCHEMA_VERSION },
  });
}
