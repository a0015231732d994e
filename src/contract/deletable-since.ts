import { isPlainObject } from '../base/json.ts';
import { readFileIfPresent, writeFileDurably, writeNewFile } from '../system/durable-file.ts';
import type { Home } from './home.ts';

const FILE = 'retention.json';

/**
 * The time from which data of this home may be deleted by age automatically. Older data, such as data of version 0.1.0, is kept
 * until a cleanup was confirmed. If this time cannot be read, nothing is deleted.
 */
export function deletableSince(home: Home, nowMs: number): number {
  const known = readRecord(home);
  if (known !== undefined) return known;
  try {
    home.folder();
    writeNewFile(home.at(FILE), render(nowMs), 0o600, true);
    return nowMs;
  } catch {
    // Another process was first, the record is damaged, or the home cannot be written.
    return readRecord(home) ?? nowMs;
  }
}

/** Records that a cleanup of this home was confirmed: from now on retention applies to all of its data. */
export function allowDeletionByAge(home: Home): void {
  home.folder();
  writeFileDurably(home.at(FILE), render(0));
}

function render(sinceMs: number): string {
  return `${JSON.stringify({ deletable_since: new Date(sinceMs).toISOString() })}\n`;
}

function readRecord(home: Home): number | undefined {
  try {
    const value: unknown = JSON.parse(readFileIfPresent(home.at(FILE)) ?? 'null');
    const since = isPlainObject(value) ? Date.parse(String(value.deletable_since)) : NaN;
    return Number.isNaN(since) ? undefined : since;
  } catch {
    return undefined;
  }
}
