/** A pause of two months, or a wrong clock. */
const JUMP_MS = 62 * 86_400_000;
/** A call has two lines, so a clock that is wrong for a few calls starts no month. */
export const CONFIRMING_LINES = 20;

/** How the time of a new line compares with the lines before it. */
export interface AuditClock {
  readonly state: 'plausible' | 'ahead';
  /** The time before the jump, if the new line is the first one after it. */
  readonly jumpedFrom?: string;
}

/**
 * Compares the time of a new line with those of the last ones, oldest first. A jump ahead is certain when all of them are from after it.
 * Until then lines stay in their month: months only advance, so one wild call would move all later lines to a month that is not retired
 * for long.
 */
export function readAuditClock(lastTimes: readonly string[], at: string): AuditClock {
  // Later times come from a clock that was ahead and has been corrected.
  const past = lastTimes.filter((time) => time <= at);
  let newest = past[0] ?? at;
  for (const [index, time] of [...past, at].entries()) {
    if (Date.parse(time) - Date.parse(newest) > JUMP_MS)
      return { state: 'ahead', ...(index === past.length && { jumpedFrom: newest }) };
    if (time > newest) newest = time;
  }
  return { state: 'plausible' };
}
