import { closeSync, fstatSync, readSync } from 'node:fs';
import { openFile } from './open-file.ts';

const CHUNK_BYTES = 64 * 1024;
/** Longer than any line that is written. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Reads the lines of a file from the last to the first, so that reading the newest does not depend on the file size. Starts at the
 * end of the file, or before the line that starts at `end`. Empty lines are part of the answer; a line that is too long is read as an empty one.
 */
export function* readLinesBackward(path: string, end?: number): Generator<string> {
  const file = openFile(path);
  try {
    let position = end ?? fstatSync(file).size;
    // The end of a line whose start is in an earlier chunk.
    let [carry, carried]: [Buffer[], number] = [[], 0];
    while (position > 0) {
      const size = Math.min(CHUNK_BYTES, position);
      position -= size;
      const chunk = Buffer.alloc(size);
      readSync(file, chunk, 0, size, position);
      // The first line of the chunk may start in the previous chunk.
      const first = position === 0 ? -1 : chunk.indexOf(LINE_FEED);
      if (position > 0 && first < 0) {
        carried += size;
        carry = carried > MAX_LINE_BYTES ? [] : [chunk, ...carry];
        continue;
      }
      const text = Buffer.concat([chunk.subarray(first + 1), ...carry]);
      const isTooLong = carried > MAX_LINE_BYTES;
      [carry, carried] = [[chunk.subarray(0, first + 1)], first + 1];
      const lines = text.toString('utf8').split('\n');
      // The text after the last line feed.
      if (lines.at(-1) === '' && !isTooLong) lines.pop();
      // What is left of it is only its start.
      if (isTooLong) lines[lines.length - 1] = '';
      yield* lines.toReversed();
    }
  } finally {
    closeSync(file);
  }
}

const LINE_FEED = 10;
