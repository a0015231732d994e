import { listEventTimes } from './database/queries/events.ts';
import { clampLease, listLongLeases } from './database/queries/tasks.ts';
import type { Scope } from './scope.ts';
import { STORE_LIMITS } from './store-limits.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const TOLERANCE_MS = 5 * 60 * 1000;
/** A clock that was wrong for fewer writes than half of these has no lasting effect. */
const WRITES = 20;

/** How the clock of this call compares with the times of the last writes. */
export interface StoreClock {
  readonly state: 'plausible' | 'ahead' | 'behind';
  /** The latest time that is certain: now, or the last write before a jump of the clock. */
  readonly certainMs: number;
  /** The time of the write after the jump; undefined if there is none, so that this call is the first one after it. */
  readonly resumedMs?: number;
}

/**
 * Compares the clock with the last writes. A jump of more than a day is either a pause or a wrong clock, so what cannot be undone must
 * not rely on it until more writes have confirmed it.
 */
export async function readStoreClock({ db, nowMs }: Pick<Scope, 'db' | 'nowMs'>): Promise<StoreClock> {
  const rows = await db.all(listEventTimes, { limit: WRITES });
  const times = rows.map(({ created_at }) => Date.parse(created_at)).toReversed();
  const past = times.filter((time) => time <= nowMs + TOLERANCE_MS);
  if (times.length - past.length > past.length) return { state: 'behind', certainMs: nowMs };
  let certainMs = past[0] ?? nowMs;
  for (const [index, time] of [...past, nowMs].entries()) {
    if (time - certainMs > DAY_MS)
      return { state: 'ahead', certainMs, ...(index < past.length && { resumedMs: time }) };
    certainMs = Math.max(certainMs, time);
  }
  return { state: 'plausible', certainMs: nowMs };
}

/** Returns the scope for deletions by age: its time is the latest one that writes have confirmed. Reports a jump of the clock. */
export async function scopeForDeletion(scope: Scope): Promise<Scope> {
  const { state, certainMs, resumedMs } = await readStoreClock(scope);
  if (state === 'plausible') return scope;
  const known = new Date(certainMs).toISOString();
  if (state === 'behind')
    scope.ports.warn?.(`The clock (${scope.at}) is earlier than most of the last writes. Check it.`);
  // Once, not for each of the writes that confirm the new time.
  if (state === 'ahead' && resumedMs === undefined)
    scope.ports.warn?.(
      `The clock (${scope.at}) is more than a day after the last write (${known}), so only data that had expired by then is deleted. If the clock is correct, later calls delete the rest.`,
    );
  return { ...scope, nowMs: certainMs, at: known };
}

/**
 * Returns the time for claims and leases: the clock, or the expected time (see `WriteRecord`) if the clock has jumped ahead. A call with a
 * wrong clock must not take the task of another agent, or hold one for a year.
 */
export function claimTime({ db, nowMs, at, ports }: Pick<Scope, 'db' | 'nowMs' | 'at' | 'ports'>): string {
  const expectedMs = db.nowMs === undefined ? db.expectedMs?.(nowMs) : undefined;
  if (expectedMs === undefined || nowMs - expectedMs <= DAY_MS) return at;
  const expected = new Date(expectedMs).toISOString();
  ports.warn?.(
    `The clock (${at}) has jumped ahead of the last writes; claims use ${expected} instead. If the clock is correct, it is accepted after ${WRITES} writes.`,
  );
  return expected;
}

/**
 * Shortens leases that a wrong clock made too long: no lease can end later than the longest lease that starts now. Where the clock of the
 * database decides, there are no such leases.
 */
export async function shortenLeases(scope: Scope): Promise<void> {
  if (scope.db.nowMs !== undefined) return;
  const limit = new Date(scope.nowMs + STORE_LIMITS.maxLeaseMs + TOLERANCE_MS).toISOString();
  const leases = await scope.db.all(listLongLeases, { limit });
  if (leases.length === 0 || (await readStoreClock(scope)).state !== 'plausible') return;
  for (const { id, claim_lease_ms } of leases) {
    const leaseMs = claim_lease_ms ?? STORE_LIMITS.defaultLeaseMs;
    await scope.db.run(clampLease, { id, expires_at: new Date(scope.nowMs + leaseMs).toISOString() });
  }
  scope.ports.warn?.(
    `A wrong clock had made ${leases.length} leases too long; they end at their usual time now.`,
  );
}
