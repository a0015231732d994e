/**
 * The last write of a store, recorded outside the store. Contract: `write` is called after the commit, so a store always contains the event
 * that `read` returns; a store that does not contain it has lost writes. `write` never throws; it calls `readLater` where no time is recorded, for
 * the newest time in the store if the clock is before it.
 */
export interface WriteRecord {
  /** The id of the last known event; 0 if no write is known. */
  readonly read: () => number;
  readonly write: (eventId: number, readLater?: (nowMs: number) => number | undefined) => void;
  /**
   * The time that it should be, by the time of the last write and a clock of the machine that no one can set; undefined if that is unknown, for
   * example after a start of the machine. Where only the time of the last write is known, it is that time if the clock is before it. A jump of
   * the clock changes it only after some writes have confirmed it.
   */
  readonly expectedMs?: ((nowMs: number) => number | undefined) | undefined;
}
