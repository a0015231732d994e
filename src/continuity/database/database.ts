import type { FullText } from './full-text.ts';
import type { Query } from './query.ts';

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
}

/**
 * How much of a store a check reads. `sample`: the schema and the ends of each table, at a cost that does not depend on its size. `quick`:
 * every page, but not whether indexes match their tables. `full`: everything.
 */
export interface IntegrityCheckOptions {
  readonly depth?: 'sample' | 'quick' | 'full';
  readonly onProgress?: ((message: string) => void) | undefined;
}

/**
 * An open store. Contract: `transaction` holds the write lock from its start, so what it reads cannot change until it ends; it is
 * rolled back when the work throws. Work that waits for anything but its own session inside a transaction deadlocks.
 */
export interface Database extends QueryRunner {
  readonly path: string;
  transaction<T>(work: (db: QueryRunner) => Promise<T>): Promise<T>;
  /** Reads from one consistent state of the store, even while other processes write. */
  snapshot<T>(work: (db: QueryRunner) => Promise<T>): Promise<T>;
  /** Checks for damage and returns the problems found. */
  check(options?: IntegrityCheckOptions): Promise<string[]>;
  /** Returns the space of deleted rows to the disk; other processes wait meanwhile. */
  readonly vacuum?: (() => Promise<void>) | undefined;
  /** Writes a consistent copy to a file that is empty or does not exist; other processes can keep writing. */
  readonly copyTo?: ((path: string) => Promise<void>) | undefined;
  readonly schemaVersion: number;
  close(): void;
}
