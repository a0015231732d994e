import { createReadStream } from 'node:fs';
import { LineSplitter } from './line-splitter.ts';
import { openFile } from './open-file.ts';

/** Reads the lines of a file in order. Text after the last line feed is still being written and is skipped. */
export async function* readLines(path: string): AsyncGenerator<string> {
  yield* splitFile(path, new LineSplitter());
}

/** Reads the lines of a complete file: text after the last line feed is a line too. */
export async function* readAllLines(path: string): AsyncGenerator<string> {
  const splitter = new LineSplitter();
  yield* splitFile(path, splitter);
  yield* splitter.end();
}

async function* splitFile(path: string, splitter: LineSplitter): AsyncGenerator<string> {
  for await (const chunk of createReadStream(path, { fd: openFile(path) }) as AsyncIterable<Buffer>)
    yield* splitter.push(chunk);
}
