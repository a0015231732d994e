import { statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileDurably } from '../system/durable-file.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const MARKER = 'pruned';

/** Whether a folder is due for its daily work. */
export function isDueToday(folder: string, now: number): boolean {
  const last = statSync(join(folder, MARKER), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // A marker from the future comes from a wrong clock.
  return now - last >= DAY_MS || last > now + DAY_MS;
}

/** Tells whether a folder is due for cleaning, and notes that it was: once a day, so that an ordinary write does not pay for its size. */
export function isCleaningDue(folder: string, now: number): boolean {
  if (!isDueToday(folder, now)) return false;
  writeFileDurably(join(folder, MARKER), '', { sync: false });
  return true;
}
