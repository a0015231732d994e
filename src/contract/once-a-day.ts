import { statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileDurably } from '../system/durable-file.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Tells whether a folder is due for cleaning, and notes that it was: once a day, so that an ordinary write does not pay for its size. */
export function isCleaningDue(folder: string, now: number): boolean {
  const marker = join(folder, 'pruned');
  const last = statSync(marker, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // A marker from the future comes from a wrong clock.
  if (now - last < DAY_MS && last <= now + DAY_MS) return false;
  writeFileDurably(marker, '', { sync: false });
  return true;
}
