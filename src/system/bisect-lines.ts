import { closeSync, fstatSync, readSync } from 'node:fs';
import { openFile } from './open-file.ts';

const CHUNK_BYTES = 64 * 1024;

/**
 * Finds where the later lines of an ordered file start, with a binary search. `isLater` must be false for the first part of the
 * lines and true for the rest; if it returns undefined, the search stops early. Contract: every line from the returned position
 * on is a later one; up to one chunk of later lines may precede it.
 */
export function bisectLines(path: string, isLater: (line: string) => boolean | undefined): number {
  const file = openFile(path);
  try {
    let low = 0;
    let high = fstatSync(file).size;
    while (high - low > CHUNK_BYTES) {
      const line = readLineAfter(file, low + Math.floor((high - low) / 2));
      const later = line === undefined || line.start >= high ? undefined : isLater(line.text);
      if (line === undefined || later === undefined) break;
      if (later) high = line.start;
      else low = line.start;
    }
    return high;
  } finally {
    closeSync(file);
  }
}

/** Reads the first line that starts after a position; undefined when it does not fit in a chunk. */
function readLineAfter(file: number, position: number): { start: number; text: string } | undefined {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const read = readSync(file, chunk, 0, CHUNK_BYTES, position);
  const first = chunk.indexOf(10) + 1;
  const end = chunk.indexOf(10, first);
  if (first === 0 || end < 0 || end >= read) return undefined;
  return { start: position + first, text: chunk.toString('utf8', first, end) };
}
