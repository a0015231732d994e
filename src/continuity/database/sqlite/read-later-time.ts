import type { DatabaseSync } from 'node:sqlite';
import type { WriteRecord } from '../write-record.ts';
import { sqliteFault } from './sqlite-fault.ts';

const EVENTS = 20;
const TOLERANCE_MS = 5 * 60 * 1000;
const DAY_MS = 86_400_000;

/** Creates a function that returns the expected time: from the record of the last write, otherwise from the events of the store. */
export function expectTime(
  connection: DatabaseSync,
  path: string,
  record: WriteRecord,
): (nowMs: number) => number | undefined {
  return (nowMs) => {
    try {
      return record.expectedMs?.(nowMs) ?? readLaterTime(connection, nowMs);
    } catch (error) {
      throw sqliteFault(error, path);
    }
  };
}

/**
 * Returns the time of the newest event if most of the last events are later than the clock, which is then behind; otherwise undefined. An
 * event that was written with a clock ahead is ignored: events after it are more than a day earlier.
 */
export function readLaterTime(connection: DatabaseSync, nowMs: number): number | undefined {
  const rows = connection.prepare('SELECT created_at AS at FROM events ORDER BY id DESC LIMIT ?').all(EVENTS);
  const times = rows.map(({ at }) => Date.parse(String(at)));
  const later = times.filter((time) => time > nowMs + TOLERANCE_MS);
  if (later.length <= times.length / 2) return undefined;
  let [newest, earliestAfter] = [-Infinity, Infinity];
  for (const time of times) {
    if (time <= earliestAfter + DAY_MS) newest = Math.max(newest, time);
    earliestAfter = Math.min(earliestAfter, time);
  }
  return newest;
}
