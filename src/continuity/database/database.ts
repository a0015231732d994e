import type { Selectable } from 'kysely';
import type { FullText } from './full-text.ts';
import type { ExportTable } from './queries/export-tables.ts';
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
  /** The expected time, see `WriteRecord`. Absent if it is not recorded. */
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

/** An event with what identifies its content. */
export interface DigestedEvent {
  readonly event: Selectable<EventTable>;
  readonly digest: string;
}

/**
 * The import buffer of events, on disk outside the store: no other process sees them or waits for them, and a killed process leaves nothing of
 * them. Calls in this order: `add`, `match`, `prepare`, and in a transaction of the store `match` and `insert`.
 */
export interface EventBuffer {
  /** Adds events in the order of their source; the first one of all has position 1. */
  readonly add: (events: readonly DigestedEvent[]) => void;
  /** Finds buffered events that the store has: each event of the store is the counterpart of at most one. Returns their positions. */
  readonly match: (events: readonly { readonly id: number; readonly digest: string }[]) => number[];
  /** Prepares the events without a counterpart, so that the transaction which adds them is short. */
  readonly prepare: (onRows: (rows: number) => void) => Promise<void>;
  /** A transaction of the store, in which `insert` can be called. */
  readonly transaction: Database['transaction'];
  /** Adds the events without a counterpart, in the order of their time. */
  readonly insert: (db: QueryRunner) => Promise<void>;
  /** The id in the store of an event with this id in its source. Contract: called after `insert`. */
  readonly idOf: (theirId: number) => number | undefined;
  readonly close: () => void;
}

/** The import buffer of all rows of an empty store, on disk outside of it. */
export interface RowBuffer {
  /** Adds rows. Contract: after a failure the buffer can only be closed. */
  readonly write: (work: (add: (table: ExportTable, values: Values) => void) => void) => void;
  /** Prepares the rows, so that the transaction which adds them is short. */
  readonly prepare: () => Promise<void>;
  /** A transaction of the store, in which `insert` can be called. */
  readonly transaction: Database['transaction'];
  /** Adds all rows. Contract: the store is empty. */
  readonly insert: () => void;
  readonly close: () => void;
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
  /** Opens a buffer for the events of an import. A store that is open for reading can only compare them. */
  readonly bufferEvents?: ((purpose: 'compare' | 'insert') => Promise<EventBuffer>) | undefined;
  /** Opens a buffer for the rows of a store that is empty. */
  readonly bufferRows?: (() => Promise<RowBuffer>) | undefined;
  /** Writes a consistent copy to a file that is empty or does not exist; other processes can keep writing. */
  readonly copyTo?: ((path: string) => Promise<void>) | undefined;
  /** Settings of a server by which it may lose what it has acknowledged. */
  readonly listRisks?: (() => Promise<string[]>) | undefined;
  readonly schemaVersion: number;
  close(): void;
}
