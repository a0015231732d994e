/**
 * A record of the last write to a store, kept outside the store. Contract: `write` is called after the commit, so the store contains the
 * event whose id `read` returns; a store without it has lost writes. `write` never throws. If no time is recorded yet, it calls `readLater`,
 * which returns the time of the newest event if the clock is behind it.
 */
export interface WriteRecord {
  /** The id of the last known event; 0 if no write is known. */
  readonly read: () => number;
  readonly write: (eventId: number, readLater?: (nowMs: number) => number | undefined) => void;
  /**
   * The expected time: that of the last write plus the time since then by the monotonic clock, which no one can set. After a reboot only
   * the time of the last write is known: it is returned if the clock is behind it, otherwise undefined. A jump of the clock is accepted after
   * some writes have confirmed it.
   */
  readonly expectedMs?: ((nowMs: number) => number | undefined) | undefined;
}
