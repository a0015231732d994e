import type { FullText } from './full-text.ts';
import type { Query } from './query.ts';

/**
 * Where statements run: the database itself, or one transaction on it. What not every database can do is an optional member here and
 * below, so that nobody uses it without asking; callers ask for the ability, never for the system.
 */
export interface Session {
  /** Absent where the database has no index of words; a search then compares text. */
  readonly fullText?: FullText | undefined;
  all<P, R>(query: Query<P, R>, values: P): Promise<R[]>;
  first<P, R>(query: Query<P, R>, values: P): Promise<R | undefined>;
  /** Runs a change and tells how many rows it touched. */
  run<P>(query: Query<P, unknown>, values: P): Promise<number>;
}

/**
 * An open store. Contract: `transaction` holds the right to write from its start, so what it reads stays true until it ends; it is
 * rolled back when the work throws. Work that waits for anything but its own session inside a transaction waits for ever.
 */
export interface Database extends Session {
  readonly path: string;
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Reads one state of the store, whatever others write meanwhile. */
  snapshot<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Looks for damage; an empty list means none was found. */
  check(): Promise<string[]>;
  /** Writes a consistent copy to a file that is empty or does not exist, while others go on writing. */
  readonly copyTo?: ((path: string) => Promise<void>) | undefined;
  readonly schemaVersion: number;
  close(): void;
}
