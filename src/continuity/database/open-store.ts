import { existsSync, statSync } from 'node:fs';
import type { Database, EventBuffer } from './database.ts';
import type { SharedConnection } from './postgres/describe-connection.ts';
import { openSqlite, readSchemaVersion, readSqlite, type OpenOptions } from './sqlite/open-sqlite.ts';
import { isPostgresUrl } from './store-address.ts';

export interface OpenStoreOptions extends OpenOptions {
  /** The password of a store on Postgres; takes precedence over the password file in its URL. */
  readonly password?: string | undefined;
}

/**
 * Opens a store for writing, and creates or migrates it if needed. This is where the two databases part: a path is a SQLite file, a URL a
 * store on Postgres, whose driver is loaded only then.
 */
export async function openStore(address: string, options: OpenStoreOptions = {}): Promise<Database> {
  if (!isPostgresUrl(address)) return openSqlite(address, options);
  return (await import('./postgres/open-postgres.ts')).openPostgres(address, options);
}

/** Reads a store without changing it. A store that does not exist reads as empty. Contract: the work only reads, and may be called twice. */
export async function readStore<T>(
  address: string,
  options: OpenStoreOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  if (!isPostgresUrl(address)) return readSqlite(address, options, work);
  return (await import('./postgres/open-postgres.ts')).readPostgres(address, options, work);
}

/** Whether there may be a store at an address. For Postgres always true, because only a connection can tell. */
export function mayBeStore(address: string): boolean {
  return isPostgresUrl(address) || (existsSync(address) && statSync(address).size > 0);
}

/** The version of the schema of a store; undefined if there is no store. */
export async function readStoreVersion(
  address: string,
  options: OpenStoreOptions,
): Promise<number | undefined> {
  if (!isPostgresUrl(address)) return readSchemaVersion(address);
  return (await import('./postgres/open-postgres.ts')).readPostgresVersion(address, options);
}

/** How to connect to the database of a store with another driver; undefined if the store is a file. */
export async function describeSharedStore(
  address: string,
  { password }: Pick<OpenStoreOptions, 'password'>,
): Promise<SharedConnection | undefined> {
  if (!isPostgresUrl(address)) return undefined;
  return (await import('./postgres/describe-connection.ts')).describeConnection(address, { password });
}

/** Opens a buffer for the events of an import. If the database has none, they are compared on this machine and added one by one. */
export async function bufferEvents(database: Database, purpose: 'compare' | 'insert'): Promise<EventBuffer> {
  if (database.bufferEvents !== undefined) return database.bufferEvents(purpose);
  const { openPrivateBuffer } = await import('./sqlite/open-buffer.ts');
  return openPrivateBuffer(database.path, (work, hints) => database.transaction(work, hints));
}
