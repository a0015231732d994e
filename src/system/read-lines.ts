import { createReadStream } from 'node:fs';
import { LineSplitter } from './line-splitter.ts';

/** Reads the lines of a file in order. What follows the last line end is half a line that a process still writes, and is left out. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const splitter = new LineSplitter();
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) yield* splitter.push(chunk);
}
