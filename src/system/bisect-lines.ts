import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 64 * 1024;

/**
 * Finds where the later lines of an ordered file begin, without reading the rest. `isLater` must be false for a first part of the
 * lines and true from there on; when it cannot tell, the search stops early. Contract: no line from the returned position on is an
 * earlier one; right before it there may be some later ones, up to a chunk of them.
 */
export function bisectLines(path: string, isLater: (line: string) => boolean | undefined): number {
  const file = openSync(path, 'r');
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

/** Reads the first line that begins behind a position; nothing when a chunk does not hold it whole. */
function readLineAfter(file: number, position: number): { start: number; text: string } | undefined {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const read = readSync(file, chunk, 0, CHUNK_BYTES, position);
  const first = chunk.indexOf(10) + 1;
  const end = chunk.indexOf(10, first);
  if (first === 0 || end < 0 || end >= read) return undefined;
  return { start: position + first, text: chunk.toString('utf8', first, end) };
}
