import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Database, Session } from '../database.ts';
import type { Query } from '../query.ts';
import { COMPILED, type CompiledParameter } from './compiled.ts';
import { onlyWriter } from './only-writer.ts';
import { sqliteFault } from './sqlite-fault.ts';
import { SQLITE_FULL_TEXT } from './sqlite-full-text.ts';

/** SQLite is a file, which not every database is. */
export type SqliteDatabase = Database & Required<Pick<Database, 'copyTo'>>;

interface Prepared {
  readonly statement: StatementSync;
  readonly parameters: readonly CompiledParameter[];
}

/** Wraps a connection as a store. Statements run at once; promises are there so that a database over the network fits too. */
export function createSqliteDatabase(
  connection: DatabaseSync,
  path: string,
  schemaVersion: number,
): SqliteDatabase {
  // What one process commits must survive a crash of the machine as well as of the process. A write touches several pages; moving them
  // from the log into the file less often keeps most writes short.
  connection.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000');
  const session = createSession(connection, path);
  const execute = createExecute(connection, path);
  const { inTurn, isBusy } = createTurns();
  const transaction = async <T>(begin: string, work: (session: Session) => Promise<T>): Promise<T> => {
    execute(begin);
    try {
      const result = await work(session);
      execute('COMMIT');
      return result;
    } catch (error) {
      if (connection.isTransaction) execute('ROLLBACK');
      throw error;
    }
  };
  return {
    ...session,
    path,
    schemaVersion,
    all: (query, values) =>
      isBusy() ? inTurn(() => session.all(query, values)) : session.all(query, values),
    first: (query, values) =>
      isBusy() ? inTurn(() => session.first(query, values)) : session.first(query, values),
    run: (query, values) => inTurn(() => onlyWriter(path, () => session.run(query, values))),
    transaction: (work) => inTurn(() => onlyWriter(path, () => transaction('BEGIN IMMEDIATE', work))),
    snapshot: (work) => inTurn(() => transaction('BEGIN', work)),
    check: () => inTurn(async () => checkIntegrity(connection, path)),
    copyTo: (target) =>
      inTurn(async () => {
        try {
          connection.prepare('VACUUM INTO ?').run(target);
        } catch (error) {
          throw sqliteFault(error, path);
        }
      }),
    close: () => connection.close(),
  };
}

/** Runs queries; each is prepared when it is first used. */
function createSession(connection: DatabaseSync, path: string): Session {
  const statements = new Map<Query<never, unknown>, Prepared>();
  const prepare = async (query: Query<never, unknown>): Promise<Prepared> => {
    // The compiler is loaded only for a statement that was not compiled before the program was built.
    const compiled = COMPILED[query.name] ?? (await import('./sqlite-builder.ts')).compileQuery(query);
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
      return action(statement, bind(parameters, values as Readonly<Record<string, unknown>>));
    } catch (error) {
      throw sqliteFault(error, path);
    }
  };
  return {
    fullText: SQLITE_FULL_TEXT,
    all: <P, R>(query: Query<P, R>, values: P) =>
      call(query, values, (statement, bound) => statement.all(...bound) as R[]),
    first: <P, R>(query: Query<P, R>, values: P) =>
      call(query, values, (statement, bound) => statement.get(...bound) as R | undefined),
    run: (query, values) =>
      call(query, values, (statement, bound) => Number(statement.run(...bound).changes)),
  };
}

/** Runs statements without parameters and results, each prepared once. */
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

interface Turns {
  readonly isBusy: () => boolean;
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** One connection has one transaction at a time; a later caller in this process waits. */
function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let busy = false;
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!busy) {
      busy = true;
      const turn = work().finally(() => (busy = false));
      last = turn.catch(() => undefined);
      return turn;
    }
    const turn = last.then(() => inTurn(work));
    last = turn.catch(() => undefined);
    return turn;
  };
  return { isBusy: () => busy, inTurn };
}

function bind(
  parameters: readonly CompiledParameter[],
  values: Readonly<Record<string, unknown>>,
): SQLInputValue[] {
  return parameters.map((parameter) => {
    const value = Array.isArray(parameter) ? values[parameter[0] as string] : parameter;
    return typeof value === 'boolean' ? Number(value) : ((value ?? null) as SQLInputValue);
  });
}

function checkIntegrity(connection: DatabaseSync, path: string): string[] {
  try {
    const problems = connection
      .prepare('PRAGMA integrity_check(100)')
      .all()
      .map((row) => String(Object.values(row)[0]))
      .filter((line) => line !== 'ok');
    const orphans = connection
      .prepare('PRAGMA foreign_key_check')
      .all()
      .map(
        (row) => `row ${String(row.rowid)} of ${String(row.table)} points to a missing ${String(row.parent)}`,
      );
    return [...problems, ...orphans];
  } catch (error) {
    const fault = sqliteFault(error, path);
    return [fault instanceof Error ? fault.message : String(fault)];
  }
}
