import { createReadStream } from 'node:fs';

const LINE_FEED = 10;

/**
 * Reads the lines of a file in order. Only a line feed ends a line, since JSON text may hold the other line separators; what follows
 * the last one is half a line that somebody still writes, and is left out.
 */
export async function* readLines(path: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(LINE_FEED);
    rest = bytes.subarray(end + 1);
    if (end >= 0) yield* bytes.toString('utf8', 0, end).split('\n');
  }
}
