import { readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { isPlainObject } from '../../base/json.ts';
import { readLinesBackward } from '../../system/read-lines-backward.ts';
import type { LlmAccountingEntry } from '../accounting-entry.ts';

/** Entries are in the order of their end, and clocks are corrected, so a little older ones may precede newer ones. */
const MARGIN_MS = 24 * 3_600_000;

/**
 * Yields the requests since a time, newest first, from the files of a ledger, newest first. `onDamaged` is called for each line that cannot be
 * read, and once for a compressed part.
 */
export function* readAccounting(
  paths: readonly string[],
  sinceMs: number,
  onDamaged: () => void,
): Generator<LlmAccountingEntry> {
  for (const path of paths.filter(isFile))
    for (const line of linesOf(path, onDamaged)) {
      const entry = parseEntry(line);
      if (entry === undefined) {
        onDamaged();
        continue;
      }
      if (entry.timestamp < sinceMs - MARGIN_MS) return;
      if (entry.timestamp >= sinceMs && entry.type === 'llm') yield entry as LlmAccountingEntry;
    }
}

/** Reading anything else, such as a named pipe, could block indefinitely. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function linesOf(path: string, onDamaged: () => void): Iterable<string> {
  if (!path.endsWith('.gz')) return readLinesBackward(path);
  try {
    return gunzipSync(readFileSync(path)).toString('utf8').trimEnd().split('\n').toReversed();
  } catch {
    onDamaged();
    return [];
  }
}

function parseEntry(line: string): { readonly type: unknown; readonly timestamp: number } | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    if (!isPlainObject(entry) || typeof entry.timestamp !== 'number') return undefined;
    if (entry.type === 'llm' && !isPlainObject(entry.tokens)) return undefined;
    return { ...entry, type: entry.type, timestamp: entry.timestamp };
  } catch {
    return undefined;
  }
}
