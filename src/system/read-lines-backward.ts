import { closeSync, fstatSync, readSync } from 'node:fs';
import { openFile } from './open-file.ts';

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads the lines of a file from the last to the first, so that reading the newest does not depend on the file size. Starts at the
 * end of the file, or before the line that starts at `end`. Empty lines are part of the answer.
 */
export function* readLinesBackward(path: string, end?: number): Generator<string> {
  const file = openFile(path);
  try {
    let position = end ?? fstatSync(file).size;
    let carry: Buffer = Buffer.alloc(0);
    while (position > 0) {
      const size = Math.min(CHUNK_BYTES, position);
      position -= size;
      const chunk = Buffer.alloc(size);
      readSync(file, chunk, 0, size, position);
      const text = Buffer.concat([chunk, carry]);
      // The first line of the chunk may start in the previous chunk.
      const first = position === 0 ? -1 : text.indexOf(10);
      if (position > 0 && first < 0) {
        carry = text;
        continue;
      }
      carry = text.subarray(0, first + 1);
      const lines = text
        .subarray(first + 1)
        .toString('utf8')
        .split('\n');
      // The text after the last line feed.
      if (lines.at(-1) === '') lines.pop();
      yield* lines.toReversed();
    }
  } finally {
    closeSync(file);
  }
}
