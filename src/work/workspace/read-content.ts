import { closeSync, constants, openSync, readlinkSync, readSync } from 'node:fs';
import type { EntryType } from './workspace.ts';

const CHUNK_BYTES = 1024 * 1024;

/** Reads what an entry holds, piece by piece: a file's bytes or a link's target. Each piece is overwritten by the next. */
export function* readContent(path: string, type: EntryType): Generator<Uint8Array> {
  if (type === 'dir') return;
  if (type === 'symlink') {
    yield Buffer.from(readlinkSync(path));
    return;
  }
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    yield* readDescriptor(file);
  } finally {
    closeSync(file);
  }
}

/** Reads an open file from its beginning, piece by piece. */
export function* readDescriptor(file: number): Generator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ;) {
    const read = readSync(file, buffer, 0, CHUNK_BYTES, position);
    if (read === 0) return;
    position += read;
    yield buffer.subarray(0, read);
  }
}
