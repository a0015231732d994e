import type { Database } from '../database.ts';
import type { WriteRecord } from '../write-record.ts';
import { poolOf, type PostgresSecrets } from './connect-postgres.ts';
import { readVersion } from './migrate-postgres.ts';
import { parsePostgresUrl } from './postgres-address.ts';
import { createPostgresDatabase } from './postgres-database.ts';
import { createUseClient } from './use-client.ts';

export interface PostgresOptions extends PostgresSecrets {
  /** How long a write waits for other writers. */
  readonly busyTimeoutMs?: number;
  readonly record?: WriteRecord | undefined;
}

const BUSY_TIMEOUT_MS = 20_000;

/** Opens a store on Postgres; connects on first use. A write creates or migrates the store if needed and if its user has the rights. */
export function openPostgres(url: string, options: PostgresOptions = {}): Database {
  const { busyTimeoutMs: waitMs = BUSY_TIMEOUT_MS, record } = options;
  const address = parsePostgresUrl(url);
  const useClient = createUseClient(poolOf(address, options), url, waitMs);
  return createPostgresDatabase({ address, useClient, waitMs, record });
}

/** Opens a store for one reading. */
export async function readPostgres<T>(
  url: string,
  options: PostgresOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openPostgres(url, options);
  // The first query also returns the time of the database, by which `work` decides what has expired.
  await database.snapshot(async () => undefined);
  return work(database);
}

/** Reads the version of the schema; undefined if the database contains no store. */
export function readPostgresVersion(url: string, options: PostgresOptions): Promise<number | undefined> {
  const { busyTimeoutMs: waitMs = BUSY_TIMEOUT_MS } = options;
  const address = parsePostgresUrl(url);
  const useClient = createUseClient(poolOf(address, options), url, waitMs);
  return useClient((client) => readVersion(client, address.schema));
}
