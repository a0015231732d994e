import { createReadStream } from 'node:fs';
import { LineSplitter } from './line-splitter.ts';
import { openFile } from './open-file.ts';

/** Reads the lines of a file in order. Text after the last line feed is still being written and is skipped. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const splitter = new LineSplitter();
  for await (const chunk of createReadStream(path, { fd: openFile(path) }) as AsyncIterable<Buffer>)
    yield* splitter.push(chunk);
}
