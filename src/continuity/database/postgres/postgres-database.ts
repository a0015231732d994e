import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Database, QueryRunner } from '../database.ts';
import { describeLoss, lostWrites } from '../lost-writes.ts';
import type { AnyQuery, Query } from '../query.ts';
import { assertSchemaVersion } from './assert-schema-version.ts';
import { waitForAll } from './wait-for-all.ts';
import { checkPostgres } from './check-postgres.ts';
import { listRisks } from './list-risks.ts';
import { POSTGRES_FULL_TEXT } from './postgres-full-text.ts';
import { POSTGRES_SCHEMA_VERSION } from './postgres-migrations.ts';
import { BEGIN_READ, createReader, EMPTY, unlessMissing } from './read-statements.ts';
import { statementOf } from './statements.ts';
import { createTransact } from './transact.ts';
import type { StoreState } from './transaction.ts';
import type { PostgresStore } from './postgres-store.ts';

/** A store on Postgres. See event-order.ts for how readers never miss an event. */
export function createPostgresDatabase(store: PostgresStore): Database {
  const { address, useClient, record } = store;
  let clockOffsetMs = 0;
  const nowMs = (): number => Date.now() + clockOffsetMs;
  const onState = ({ now_ms, version, last_event }: StoreState): void => {
    clockOffsetMs = now_ms - Date.now();
    assertSchemaVersion(address.url, version);
    const loss = describeLoss(record?.read() ?? 0, last_event);
    if (loss !== undefined) throw lostWrites(address.url, loss);
  };
  /** Sends statements after the one that sets the watermark, in one round trip; undefined if there is no store. */
  const begin = async (
    client: PoolClient,
    ...statements: (string | QueryConfig)[]
  ): Promise<QueryResult[] | undefined> => {
    const batch = [BEGIN_READ, ...statements].map((statement) => client.query(statement as string));
    const [began, ...results] = await unlessMissing(client, address, waitForAll(batch));
    if (began === undefined) return undefined;
    onState(began.rows[0] as StoreState);
    return results;
  };
  const read = async (query: AnyQuery, values: unknown): Promise<unknown[]> => {
    const statement = await statementOf(query, values);
    return useClient(async (client) => (await begin(client, statement))?.[0]?.rows ?? []);
  };
  const snapshot = async <T>(work: (db: QueryRunner) => Promise<T>): Promise<T> =>
    useClient(async (client) => {
      try {
        const began = await begin(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        return await work(began === undefined ? EMPTY : createReader(client, nowMs));
      } finally {
        await client.query('ROLLBACK').catch(() => undefined);
      }
    });
  const transaction = createTransact(store, onState);
  return {
    path: address.url,
    schemaVersion: POSTGRES_SCHEMA_VERSION,
    fullText: POSTGRES_FULL_TEXT,
    nowMs,
    all: async <P, R>(query: Query<P, R>, values: P) => (await read(query, values)) as R[],
    first: async <P, R>(query: Query<P, R>, values: P) => (await read(query, values))[0] as R | undefined,
    run: (query, values) => transaction((db) => db.run(query, values)),
    send: (query, values) => transaction((db) => db.send(query, values)),
    transaction,
    snapshot,
    check: (options) =>
      useClient(async (client) => ((await begin(client)) ? checkPostgres(client, options) : [])),
    listRisks: () => useClient(listRisks),
    // Connections are shared by all stores of this process with the same address, and closed when idle.
    close: () => undefined,
  };
}
