import type { SessionRecordBody } from './session-record.ts';

/**
 * Stores the steps of a session.
 *
 * Contract: `append` returns after the record is stored; with `durable` it survives a power loss, otherwise at least the end of the
 * process. It throws when the record cannot be stored; the session then warns, calls `abandon` and stores nothing more.
 */
export interface SessionLog {
  /** Runs the session while no other process can resume it; rejects when another process runs it. */
  readonly hold: <T>(action: () => Promise<T>) => Promise<T>;
  readonly append: (record: SessionRecordBody, options?: { readonly durable?: boolean }) => void;
  /** Marks the session as incomplete, so that it is never resumed from an old state. */
  readonly abandon: () => void;
  readonly close: () => void;
}
