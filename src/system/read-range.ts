import { closeSync, readSync } from 'node:fs';
import { openFile } from './open-file.ts';

/** Reads a part of a file; less at its end. */
export function readRange(path: string, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openFile(path);
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, from));
  } finally {
    closeSync(file);
  }
}
