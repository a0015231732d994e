import type { PoolClient, QueryResult } from 'pg';
import type { QueryRunner, TransactionHints } from '../database.ts';
import type { AnyQuery, Query, Values } from '../query.ts';
import { waitForAll } from './wait-for-all.ts';
import { createPlannedReads, type PlannedReads } from './planned-reads.ts';
import { POSTGRES_FULL_TEXT } from './postgres-full-text.ts';
import { NEW_EVENT, NEW_MEMORY, type NumberedInsert } from './reserved-ids.ts';
import { statementOf } from './statements.ts';
import { ADVANCE_IDS } from './advance-ids.ts';

/** What the database reports at the start of a transaction. */
export interface StoreState {
  readonly now_ms: number;
  readonly last_event: number;
  readonly version: number;
}

export interface TransactionOptions {
  readonly hints: TransactionHints;
  /** How long to wait for other writers. */
  readonly waitMs: number;
  /** Throws if this program cannot use the store. */
  readonly onStart: (state: StoreState) => void;
  /** Called right before the commit is sent: from here on, a broken connection leaves open whether the write was stored. */
  readonly onCommit: () => void;
}

export interface TransactionResult<T> {
  readonly result: T;
  /** The last event that it added; 0 if none. */
  readonly lastEvent: number;
}

/** How many writes may be on their way before one of them has to be answered. */
const MAX_PENDING = 1000;

/** Runs one transaction on a connection: one round trip to start it, one to end it, and those of the work in between. */
export async function runTransaction<T>(
  client: PoolClient,
  work: (db: QueryRunner) => Promise<T>,
  options: TransactionOptions,
): Promise<TransactionResult<T>> {
  try {
    const started = await start(client, options);
    const pending: Promise<QueryResult>[] = [];
    const runner = createRunner(client, started, pending);
    const result = await work(runner.db);
    options.onCommit();
    await waitForAll([...pending, client.query('COMMIT')]);
    return { result, lastEvent: runner.lastEvent() };
  } catch (error) {
    // The connection may be gone; then the server rolls back by itself.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

interface Started {
  readonly state: StoreState;
  readonly reads: PlannedReads;
  readonly ids: ReadonlyMap<AnyQuery, { readonly kind: NumberedInsert; readonly free: number[] }>;
}

async function start(client: PoolClient, { hints, waitMs, onStart }: TransactionOptions): Promise<Started> {
  const planned = hints.reads ?? [];
  const statements = await Promise.all(planned.map(([query, values]) => statementOf(query, values)));
  const numbered = [
    { kind: NEW_EVENT, count: hints.newEvents ?? 0 },
    { kind: NEW_MEMORY, count: hints.newMemories ?? 0 },
  ].filter(({ count }) => count > 0);
  const [, began, ...results] = await waitForAll([
    client.query(`BEGIN; SET LOCAL lock_timeout = ${Math.max(1, waitMs)}`),
    client.query('SELECT * FROM begin_write($1)', [hints.isAppend === true]),
    ...statements.map((statement) => client.query(statement)),
    ...numbered.map(({ kind, count }) =>
      client.query('SELECT nextval($1::regclass) AS id FROM generate_series(1, $2)', [kind.sequence, count]),
    ),
  ]);
  const state = began?.rows[0] as StoreState;
  onStart(state);
  const reads = createPlannedReads();
  for (const [index, read] of planned.entries()) reads.add(read, results[index]?.rows ?? []);
  const ids = new Map(
    numbered.map(({ kind }, index) => {
      const rows = results[planned.length + index]?.rows ?? [];
      return [kind.insert, { kind, free: rows.map(({ id }) => id as number) }];
    }),
  );
  return { state, reads, ids };
}

interface TransactionRunner {
  readonly db: QueryRunner;
  readonly lastEvent: () => number;
}

function createRunner(
  client: PoolClient,
  { state, reads, ids }: Started,
  pending: Promise<QueryResult>[],
): TransactionRunner {
  let lastEvent = 0;
  const query = async (what: AnyQuery, values: unknown): Promise<QueryResult> => {
    const statement = await statementOf(what, values);
    const [result] = await waitForAll([client.query(statement), ...pending.splice(0)]);
    return result as QueryResult;
  };
  const send = async (what: AnyQuery, values: unknown): Promise<void> => {
    const statement = await statementOf(what, values);
    const sent = client.query(statement);
    // Its failure is thrown by the next statement that is waited for; until then it must not end the process.
    sent.catch(() => undefined);
    pending.push(sent);
    if (pending.length >= MAX_PENDING) await waitForAll(pending.splice(0));
  };
  const read = async (what: AnyQuery, values: unknown): Promise<readonly unknown[]> =>
    reads.take(what, values) ?? (await query(what, values)).rows;
  const first = async <P, R>(what: Query<P, R>, values: P): Promise<R | undefined> => {
    const isEvent = (what as AnyQuery) === NEW_EVENT.insert;
    const numbered = ids.get(what);
    const id = numbered?.free.shift();
    if (numbered === undefined || id === undefined) {
      const row = (await read(what, values))[0] as R | undefined;
      if (isEvent) lastEvent = Math.max(lastEvent, (row as { id: number }).id);
      return row;
    }
    await send(numbered.kind.withId, { ...(values as Values), id });
    if (isEvent) lastEvent = Math.max(lastEvent, id);
    return { id } as R;
  };
  return {
    lastEvent: () => lastEvent,
    db: {
      fullText: POSTGRES_FULL_TEXT,
      afterImport: [ADVANCE_IDS],
      nowMs: () => state.now_ms,
      all: async <P, R>(what: Query<P, R>, values: P) => [...(await read(what, values))] as R[],
      first,
      run: async (what, values) => (await query(what, values)).rowCount ?? 0,
      send,
    },
  };
}
