import { existsSync } from 'node:fs';
import { readLinesBackward } from '../system/read-lines-backward.ts';
import { parseLine } from './audit-chain.ts';

/** A pause of two months, or a wrong clock. */
const JUMP_MS = 62 * 86_400_000;
/** A call has two lines, so a clock that is wrong for a few calls starts no month. */
const CONFIRMING_LINES = 20;

/** How the time of a new line compares with the lines before it. */
export interface AuditClock {
  readonly state: 'plausible' | 'ahead';
  /** The latest time that is certain, if the clock is ahead: that of the last line before the jump. */
  readonly certainAt?: string;
  /** For the caller, if the new line is the first one after a jump. */
  readonly warning?: string;
}

/**
 * Compares the time of a new line with those of the last ones, oldest first. A jump ahead is certain when all of
 * the last lines were written after it. Until then new lines stay in the current month: the month of the log only advances, so one call
 * with a wrong clock would move all later lines to a future month, which is not retired for a long time.
 */
export function compareTimes(lastTimes: readonly string[], at: string, jumpMs: number = JUMP_MS): AuditClock {
  // Later times come from a clock that was ahead and has been corrected.
  const past = lastTimes.filter((time) => time <= at);
  let newest = past[0] ?? at;
  for (const [index, time] of [...past, at].entries()) {
    if (Date.parse(time) - Date.parse(newest) > jumpMs)
      return {
        state: 'ahead',
        certainAt: newest,
        ...(index === past.length && { warning: describeJump(newest, at) }),
      };
    if (time > newest) newest = time;
  }
  return { state: 'plausible' };
}

/** Compares the time of a new line with those of the last lines of a file. */
export function readAuditClock(path: string, at: string, jumpMs?: number): AuditClock {
  return compareTimes(lastTimes(path), at, jumpMs);
}

function lastTimes(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const times: string[] = [];
  for (const text of readLinesBackward(path)) {
    if (times.length === CONFIRMING_LINES) break;
    const at = parseLine(text)?.at;
    if (typeof at === 'string') times.push(at);
  }
  return times.toReversed();
}

/** Reported once per jump, because a wrong clock puts wrong times into everything that is written. */
function describeJump(from: string, at: string): string {
  return `The clock (${at}) is more than two months after the last call (${from}). If it is wrong, correct it.`;
}
