import type { PoolClient, QueryResult } from 'pg';
import type { QueryRunner } from '../database.ts';
import type { AnyQuery, Query } from '../query.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { isMissingStore, withoutPermission } from './postgres-fault.ts';
import { POSTGRES_FULL_TEXT } from './postgres-full-text.ts';
import { statementOf } from './statements.ts';

/** Sets the watermark of this connection. Contract: a separate statement before the one that reads events; see event-order.ts. */
export const BEGIN_READ = 'SELECT * FROM begin_read()';

/** A store that does not exist reads as empty. */
export const EMPTY: QueryRunner = {
  all: async () => [],
  first: async () => undefined,
  run: async () => 0,
  send: async () => undefined,
};

/** The results of statements; none if the store does not exist. One that this user may not see is not taken for a missing one. */
export async function unlessMissing(
  client: PoolClient,
  { url, schema }: PostgresAddress,
  results: Promise<QueryResult[]>,
): Promise<QueryResult[]> {
  try {
    return await results;
  } catch (error) {
    if (!isMissingStore(error)) throw error;
    await client.query('ROLLBACK');
    const found = await client.query(
      "SELECT has_schema_privilege(oid, 'USAGE') AS usable FROM pg_namespace WHERE nspname = $1",
      [schema],
    );
    if (found.rows[0]?.usable === 'f') throw withoutPermission(url, error);
    return [];
  }
}

/** Reads in a transaction that sees one state of the store. */
export function createReader(client: PoolClient, nowMs: () => number): QueryRunner {
  const run = async (query: AnyQuery, values: unknown): Promise<QueryResult> =>
    client.query(await statementOf(query, values));
  return {
    fullText: POSTGRES_FULL_TEXT,
    nowMs,
    all: async <P, R>(query: Query<P, R>, values: P) => (await run(query, values)).rows as R[],
    first: async <P, R>(query: Query<P, R>, values: P) => (await run(query, values)).rows[0] as R | undefined,
    run: async (query, values) => (await run(query, values)).rowCount ?? 0,
    send: async (query, values) => void (await run(query, values)),
  };
}
