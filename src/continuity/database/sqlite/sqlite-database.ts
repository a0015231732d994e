import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { bindValues, findCompiled, type CompiledParameter } from '../compiled-query.ts';
import type { Database, QueryRunner } from '../database.ts';
import type { Query } from '../query.ts';
import type { WriteRecord } from '../write-record.ts';
import { beginWrite } from './begin-write.ts';
import { checkIntegrity } from './check-integrity.ts';
import { BUSY_TIMEOUT_MS, connect } from './connect-sqlite.ts';
import { COMPILED } from './compiled.ts';
import { describeLoss, lostWrites } from '../lost-writes.ts';
import { readLastEvent } from './read-last-event.ts';
import { expectTime, readLaterTime } from './read-later-time.ts';
import { serializeWrite } from './serialize-write.ts';
import type { createBuffers, OwnConnection } from './open-buffer.ts';
import { sqliteFault } from './sqlite-fault.ts';
import { SQLITE_FULL_TEXT } from './sqlite-full-text.ts';
import { vacuum } from './vacuum.ts';

/** A SQLite database is a file, so it can always be copied and compacted. */
export type SqliteDatabase = Database & Required<Pick<Database, 'copyTo' | 'vacuum' | 'bufferRows'>>;

interface Prepared {
  readonly statement: StatementSync;
  readonly parameters: readonly CompiledParameter[];
}

export interface StoreOptions {
  /** How long a write waits for other processes. */
  readonly busyTimeoutMs?: number;
  /** The last write that is known; a store without it is refused. */
  readonly record?: WriteRecord;
  /** The file that was opened; a write is refused when another file has replaced it. */
  readonly inode?: number;
}

/** Wraps a connection as a store. Statements run synchronously; the interface returns promises for databases over a network. */
export function createSqliteDatabase(
  connection: DatabaseSync,
  path: string,
  schemaVersion: number,
  options: StoreOptions = {},
): SqliteDatabase {
  const { record, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  // A commit must survive a crash of the machine, not only of the process. A write changes several pages; less frequent checkpoints
  // keep most writes short.
  connection.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000');
  const db = createQueryRunner(connection, path, record);
  const execute = createExecute(connection, path);
  const { enqueue, isBusy } = createQueue();
  const transaction = async <T>(
    begin: () => void | Promise<void>,
    work: (db: QueryRunner) => Promise<T>,
  ): Promise<T> => {
    await begin();
    try {
      const result = await work(db);
      execute('COMMIT');
      return result;
    } catch (error) {
      if (connection.isTransaction) execute('ROLLBACK');
      throw error;
    }
  };
  /** Inside the transaction, so that no other process can write between the two readings. */
  const recorded = async <T>(work: (db: QueryRunner) => Promise<T>): Promise<T> => {
    const begin = (): Promise<void> => beginWrite(connection, { path, inode: options.inode }, busyTimeoutMs);
    if (record === undefined) return transaction(begin, work);
    let [before, after] = [0, 0];
    const result = await transaction(begin, async (inner) => {
      before = readLastEvent(connection);
      const loss = describeLoss(record.read(), before);
      if (loss !== undefined) throw lostWrites(path, loss);
      const value = await work(inner);
      after = readLastEvent(connection);
      return value;
    });
    if (after !== before) record.write(after, (nowMs) => readLaterTime(connection, nowMs));
    return result;
  };
  const transact: Database['transaction'] = (work) =>
    enqueue(() => serializeWrite(path, () => recorded(work)));
  return {
    ...db,
    path,
    schemaVersion,
    all: (query, values) => (isBusy() ? enqueue(() => db.all(query, values)) : db.all(query, values)),
    first: (query, values) => (isBusy() ? enqueue(() => db.first(query, values)) : db.first(query, values)),
    run: (query, values) => enqueue(() => serializeWrite(path, () => db.run(query, values))),
    send: (query, values) => enqueue(() => serializeWrite(path, () => db.send(query, values))),
    transaction: transact,
    snapshot: (work) => enqueue(() => transaction(() => execute('BEGIN'), work)),
    check: (options) =>
      enqueue(async () => checkIntegrity(connection, path, { ...options, known: record?.read() ?? 0 })),
    ...lazyBuffers(path, transact, () => openOwn(path, schemaVersion, options)),
    vacuum: () => enqueue(async () => vacuum(connection, path)),
    copyTo: (target) =>
      enqueue(async () => {
        try {
          connection.prepare('VACUUM INTO ?').run(target);
        } catch (error) {
          throw sqliteFault(error, path);
        }
      }),
    close: () => connection.close(),
  };
}

/** Another connection with the same options. */
function openOwn(path: string, schemaVersion: number, options: StoreOptions): OwnConnection {
  const connection = connect(path, options, false);
  return { path, connection, database: createSqliteDatabase(connection, path, schemaVersion, options) };
}

/** Loaded only by imports. */
function lazyBuffers(...given: Parameters<typeof createBuffers>): ReturnType<typeof createBuffers> {
  const load = async () => (await import('./open-buffer.ts')).createBuffers(...given);
  return {
    bufferEvents: async (purpose) => (await load()).bufferEvents(purpose),
    bufferRows: async () => (await load()).bufferRows(),
  };
}

/** Runs queries; each is prepared on first use. */
function createQueryRunner(
  connection: DatabaseSync,
  path: string,
  record: WriteRecord | undefined,
): QueryRunner {
  const statements = new Map<Query<never, unknown>, Prepared>();
  const prepare = async (query: Query<never, unknown>): Promise<Prepared> => {
    // The compiler is loaded only for statements that were not compiled at build time.
    const compiled =
      findCompiled(COMPILED, query.name) ?? (await import('./sqlite-builder.ts')).compileQuery(query);
    const prepared = { statement: connection.prepare(compiled[0]), parameters: compiled[1] };
    statements.set(query, prepared);
    return prepared;
  };
  const call = async <P, T>(
    query: Query<P, unknown>,
    values: P,
    action: (statement: StatementSync, bound: SQLInputValue[]) => T,
  ): Promise<T> => {
    try {
      const { statement, parameters } =
        statements.get(query as Query<never, unknown>) ?? (await prepare(query as Query<never, unknown>));
      return action(statement, bindValues(parameters, values as Readonly<Record<string, unknown>>));
    } catch (error) {
      throw sqliteFault(error, path);
    }
  };
  const run = <P>(query: Query<P, unknown>, values: P): Promise<number> =>
    call(query, values, (statement, bound) => Number(statement.run(...bound).changes));
  return {
    fullText: SQLITE_FULL_TEXT,
    expectedMs: record && expectTime(connection, path, record),
    all: <P, R>(query: Query<P, R>, values: P) =>
      call(query, values, (statement, bound) => statement.all(...bound) as R[]),
    first: <P, R>(query: Query<P, R>, values: P) =>
      call(query, values, (statement, bound) => statement.get(...bound) as R | undefined),
    run,
    send: async (query, values) => {
      await run(query, values);
    },
  };
}

/** Runs statements without parameters or results, each prepared once. */
function createExecute(connection: DatabaseSync, path: string): (sql: string) => void {
  const plain = new Map<string, StatementSync>();
  return (sql) => {
    try {
      let statement = plain.get(sql);
      if (statement === undefined) plain.set(sql, (statement = connection.prepare(sql)));
      statement.run();
    } catch (error) {
      throw sqliteFault(error, path);
    }
  };
}

interface Queue {
  readonly isBusy: () => boolean;
  readonly enqueue: <T>(work: () => Promise<T>) => Promise<T>;
}

/** A connection has one transaction at a time; later callers in this process wait. */
function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  let busy = false;
  const enqueue = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!busy) {
      busy = true;
      const turn = work().finally(() => (busy = false));
      last = turn.catch(() => undefined);
      return turn;
    }
    const turn = last.then(() => enqueue(work));
    last = turn.catch(() => undefined);
    return turn;
  };
  return { isBusy: () => busy, enqueue };
}
