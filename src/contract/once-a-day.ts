import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileDurably } from '../system/durable-file.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const MARKER = 'pruned';

/** When the daily work of a folder was last done. */
function lastTime(folder: string): number | undefined {
  return statSync(join(folder, MARKER), { throwIfNoEntry: false })?.mtimeMs;
}

/** Whether a folder is due for its daily work. */
export function isDueToday(folder: string, now: number): boolean {
  const last = lastTime(folder) ?? 0;
  // A marker from the future comes from a wrong clock.
  return now - last >= DAY_MS || last > now + DAY_MS;
}

/** Whether a folder is due for its daily cleaning; if so, records the time. Scanning the folder on every write would cost too much. */
export function isCleaningDue(folder: string, now: number): boolean {
  if (!isDueToday(folder, now)) return false;
  writeFileDurably(join(folder, MARKER), '', { sync: false });
  return true;
}

const MAX_PAUSE_MS = 7 * DAY_MS;

/** Whether the daily work was done in the last week. If not, the clock may have jumped forward, so the caller waits for a second day. */
export function wasDoneThisWeek(folder: string, now: number): boolean {
  const last = lastTime(folder);
  return last !== undefined && now - last <= MAX_PAUSE_MS;
}

/**
 * Whether the clock may have jumped forward: no file of the folder is younger than a week. Then nothing is deleted by age, because a
 * clock that is wrong for one call would delete everything; the next cleaning finds newer files.
 */
export function isClockSuspect(folder: string, now: number): boolean {
  const times = readdirSync(folder)
    .filter((name) => name !== MARKER)
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return times.length > 0 && now - Math.max(...times) > MAX_PAUSE_MS;
}
