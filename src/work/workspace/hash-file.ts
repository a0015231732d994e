import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { blake3Hex, startBlake3 } from '../../system/blake3.ts';
import type { Yielder } from '../../system/yielder.ts';

/** Files up to this size are read and hashed in one call, which takes half as long as in parts. */
const CHUNK_BYTES = 4 * 1024 * 1024;
const buffer = Buffer.allocUnsafe(CHUNK_BYTES);

/** Hashes a file's bytes on disk, without git filters; does not follow symlinks. */
export function hashFile(path: string): string {
  const file = openRegularFile(path);
  try {
    return hashDescriptor(file);
  } finally {
    closeSync(file);
  }
}

/** Like `hashFile`, but yields to the event loop, for files of any size. */
export async function hashFileYielding(path: string, yielder: Yielder): Promise<string> {
  const file = openRegularFile(path);
  try {
    const parts = hashInParts(file);
    for (;;) {
      const { done, value } = parts.next();
      if (done === true) return value;
      if (yielder.isDue()) await yielder.yieldNow();
    }
  } finally {
    closeSync(file);
  }
}

/** Hashes the content of an open file from its start. */
export function hashDescriptor(file: number): string {
  const parts = hashInParts(file);
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
  }
}

/** Pauses after each part. */
function* hashInParts(file: number): Generator<undefined, string> {
  const first = readPart(file, 0);
  if (first.length < CHUNK_BYTES) return blake3Hex(first);
  const hash = startBlake3();
  for (let [part, position] = [first, 0]; part.length > 0; part = readPart(file, position)) {
    hash.update(part);
    position += part.length;
    yield undefined;
  }
  return hash.hex();
}

function openRegularFile(path: string): number {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw Object.assign(new Error(`${path} is not a file`), { code: 'ELOOP' });
}

/** The part is valid until the next one is read. */
function readPart(file: number, position: number): Uint8Array {
  return buffer.subarray(0, readSync(file, buffer, 0, CHUNK_BYTES, position));
}
