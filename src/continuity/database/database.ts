import type { FullText } from './full-text.ts';
import type { AnyQuery, Query, Values } from './query.ts';
import type { EventTable } from './schema.ts';

/**
 * Runs queries: on the database itself, or in one transaction. A capability that not every database has is an optional member, here
 * and in `Database`, so that the compiler makes callers check for it; they never check which database it is.
 */
export interface QueryRunner {
  /** Absent if the database has no full-text index; searches then compare text. */
  readonly fullText?: FullText | undefined;
  all<P, R>(query: Query<P, R>, values: P): Promise<R[]>;
  first<P, R>(query: Query<P, R>, values: P): Promise<R | undefined>;
  /** Runs a write and returns the number of changed rows. */
  run<P>(query: Query<P, unknown>, values: P): Promise<number>;
  /**
   * Runs a write whose number of changed rows does not matter. A database over a network does not wait for it; if it fails, the
   * transaction fails at the latest at its end.
   */
  send<P>(query: Query<P, unknown>, values: P): Promise<void>;
  /** Queries to run in this order after rows were imported with their own numbers. */
  readonly afterImport?: readonly Query<Values, unknown>[] | undefined;
  /** The time of the database, which decides where several machines share it. Absent if the clock of the caller decides. */
  readonly nowMs?: (() => number) | undefined;
  /** The time that it should be by the last write; see `WriteRecord`. Absent if it is not recorded. */
  readonly expectedMs?: ((nowMs: number) => number | undefined) | undefined;
}

/** A read with its values. */
export type PlannedRead = readonly [query: AnyQuery, values: Values];

/** What the caller of a transaction knows in advance. A database in the same process ignores it; one over a network needs fewer round trips. */
export interface TransactionHints {
  /**
   * The work adds events, artifacts and stored answers, or extends claims, and does nothing else. Such transactions do not exclude each
   * other; a conflict between two of them repeats the work of one.
   */
  readonly isAppend?: boolean;
  /** What the work reads first. Each result is used once. */
  readonly reads?: readonly PlannedRead[];
  /** How many rows with a new number the work adds at most. */
  readonly newEvents?: number;
  readonly newMemories?: number;
}

/**
 * How much of a store a check reads. `sample`: the schema and the ends of each table, at a cost that does not depend on its size. `quick`:
 * every page, but not whether indexes match their tables. `full`: everything.
 */
export interface IntegrityCheckOptions {
  readonly depth?: 'sample' | 'quick' | 'full';
  readonly onProgress?: ((message: string) => void) | undefined;
}

/** An event of another store, which gets a number of this one. */
export type StagedEvent = Readonly<Omit<EventTable, 'id'>>;

/** Events that were written outside the store, so that a transaction adds all of them in a moment. */
export interface StagedEvents {
  /**
   * Adds the events in their order, without those at these positions; returns the number of the event at a position. Contract: called
   * once, in a transaction of the same store.
   */
  readonly insert: (without: ReadonlySet<number>) => Promise<(index: number) => number>;
  readonly discard: () => void;
}

/**
 * An open store. Contract: `transaction` holds the write lock from its start, so what it reads cannot change until it ends; it is
 * rolled back when the work throws. Of transactions with the hint `isAppend`, several hold this lock together. Work that waits for anything but its own session inside a transaction deadlocks.
 */
export interface Database extends QueryRunner {
  readonly path: string;
  transaction<T>(work: (db: QueryRunner) => Promise<T>, hints?: () => TransactionHints): Promise<T>;
  /** Reads from one consistent state of the store, even while other processes write. */
  snapshot<T>(work: (db: QueryRunner) => Promise<T>): Promise<T>;
  /** Checks for damage and returns the problems found. */
  check(options?: IntegrityCheckOptions): Promise<string[]>;
  /** Returns the space of deleted rows to the disk; other processes wait meanwhile. */
  readonly vacuum?: (() => Promise<void>) | undefined;
  /** Prepares many events for the next transaction without a lock of the store; other processes can keep writing. */
  readonly stageEvents?:
    | ((events: readonly StagedEvent[], onRows: (rows: number) => void) => Promise<StagedEvents>)
    | undefined;
  /** Writes a consistent copy to a file that is empty or does not exist; other processes can keep writing. */
  readonly copyTo?: ((path: string) => Promise<void>) | undefined;
  /** Settings of a server by which it may lose what it has acknowledged. */
  readonly listRisks?: (() => Promise<string[]>) | undefined;
  readonly schemaVersion: number;
  close(): void;
}
