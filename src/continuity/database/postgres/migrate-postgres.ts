import type { PoolClient } from 'pg';
import { Fault } from '../../../base/fault.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { waitForAll } from './wait-for-all.ts';
import { stepsFrom } from './postgres-migrations.ts';

/** Two processes that create the same store wait for each other. Any constant will do: it is only used here. */
const MIGRATION_KEY = 0x64656564;

/** Creates the tables of a store, or migrates them, in one transaction. Returns the version from before; undefined if there was no store. */
export async function migratePostgres(
  client: PoolClient,
  { url, schema }: PostgresAddress,
  current: number,
  stepsOf: typeof stepsFrom = stepsFrom,
): Promise<number | undefined> {
  await assertUtf8(client, url);
  try {
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${MIGRATION_KEY})`);
    // Another process may have created it while this one waited.
    const version = await readVersion(client, schema);
    if (version === undefined) await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    if (version === undefined || version < current) {
      await waitForAll(
        stepsOf(version)
          .flat()
          .map((statement) => client.query(statement)),
      );
      await client.query(
        version === undefined
          ? `INSERT INTO store_schema VALUES (${current})`
          : `UPDATE store_schema SET version = ${current}`,
      );
    }
    await client.query('COMMIT');
    return version;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** The version of the schema; undefined if there is no store. */
export async function readVersion(client: PoolClient, schema: string): Promise<number | undefined> {
  const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS exists', [
    `${schema}.store_schema`,
  ]);
  if (rows[0]?.exists !== 't') return undefined;
  const found = await client.query('SELECT version FROM store_schema');
  return found.rows[0]?.version as number | undefined;
}

/** Ids, times and texts are compared and stored as UTF-8. */
async function assertUtf8(client: PoolClient, url: string): Promise<void> {
  const { rows } = await client.query("SELECT current_setting('server_encoding') AS encoding");
  const encoding = String(rows[0]?.encoding);
  if (encoding === 'UTF8') return;
  throw new Fault('E_CONFIG', `The database ${url} has the encoding ${encoding}, not UTF8.`, {
    hint: 'Create the database with "createdb --encoding=UTF8 --template=template0".',
    details: { path: url, encoding },
  });
}
