import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { blake3Hex, startBlake3 } from '../../base/blake3.ts';

/** Files up to this size are read in one call. */
const CHUNK_BYTES = 1024 * 1024;
const buffer = Buffer.allocUnsafe(CHUNK_BYTES);

/** Hashes a file's bytes on disk, without git filters; does not follow symlinks. */
export function hashFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw Object.assign(new Error(`${path} is not a file`), { code: 'ELOOP' });
    return hashDescriptor(file);
  } finally {
    closeSync(file);
  }
}

/** Hashes the content of an open file from its start. */
export function hashDescriptor(file: number): string {
  const length = readSync(file, buffer, 0, CHUNK_BYTES, 0);
  if (length < CHUNK_BYTES) return blake3Hex(buffer.subarray(0, length));
  const hash = startBlake3();
  let position = length;
  hash.update(buffer.subarray(0, length));
  for (;;) {
    const read = readSync(file, buffer, 0, CHUNK_BYTES, position);
    if (read === 0) return hash.hex();
    hash.update(buffer.subarray(0, read));
    position += read;
  }
}
