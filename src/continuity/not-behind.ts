import type { QueryRunner } from './database/database.ts';

const TOLERANCE_MS = 5 * 60 * 1000;

/**
 * Returns the time of a call: the clock, or the expected time (see `WriteRecord`) if the clock is behind it. With a clock that is behind, a
 * lease or a memory would expire before others see it, and the stored answer of a write would look old enough to delete.
 */
export function notBehind(
  db: Pick<QueryRunner, 'expectedMs'>,
  { now, warn }: { readonly now: () => number; readonly warn?: (message: string) => void },
): number {
  const nowMs = now();
  const expectedMs = db.expectedMs?.(nowMs);
  if (expectedMs === undefined || expectedMs - nowMs <= TOLERANCE_MS) return nowMs;
  const [at, expected] = [nowMs, expectedMs].map((ms) => new Date(ms).toISOString());
  warn?.(
    `The clock (${at}) is behind the last writes; ${expected} is used instead. If the clock is correct, it is accepted after 20 writes.`,
  );
  return expectedMs;
}
