import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import type { EntryType } from './workspace.ts';

const CHUNK_BYTES = 1024 * 1024;
/** For files that are short, or whose size is not known. */
const SMALL_BYTES = 4096;

/** Reads the content of a file or the target of a symlink in chunks, which share one buffer. */
export function* readContent(path: string, type: EntryType): Generator<Uint8Array> {
  if (type === 'dir') return;
  if (type === 'symlink') {
    yield Buffer.from(readlinkSync(path));
    return;
  }
  yield* readPieces(openSync(path, READ_FLAGS));
}

/** Collects a content. Its chunks share one buffer, so each is copied before the next one is read. */
export function collectContent(chunks: Iterable<Uint8Array>): Buffer {
  return Buffer.concat(Array.from(chunks, (chunk) => Buffer.from(chunk)));
}

/** Flags for reading a file that is not a link and, if it is a pipe, does not block. */
export const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads an open file in chunks, which share one buffer, and closes it. */
export function* readPieces(file: number): Generator<Uint8Array> {
  try {
    yield* readDescriptor(file);
  } finally {
    closeSync(file);
  }
}

/** Reads an open file, or a part of it, in chunks, which share one buffer. */
export function* readDescriptor(
  file: number,
  offset = 0,
  length = Number.POSITIVE_INFINITY,
): Generator<Buffer> {
  // A large buffer for each of many small files would keep the garbage collector busy.
  const expected = Math.max(fstatSync(file).size - offset, SMALL_BYTES);
  const buffer = Buffer.allocUnsafe(Math.min(length, expected, CHUNK_BYTES));
  for (let done = 0; done < length;) {
    const read = readSync(file, buffer, 0, Math.min(buffer.length, length - done), offset + done);
    if (read === 0) return;
    done += read;
    yield buffer.subarray(0, read);
  }
}
