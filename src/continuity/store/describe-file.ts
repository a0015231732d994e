import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { startBlake3 } from '../../system/blake3.ts';
import { STORE_LIMITS } from '../store-limits.ts';
import type { FileFacts } from '../scope.ts';

/** Reads the size and BLAKE3 hash of a file by its absolute path. Contract: returns undefined if it is not a readable file; never throws. */
export async function describeFile(
  path: string,
  maxHashedBytes: number = STORE_LIMITS.hashedFileBytes,
): Promise<FileFacts | undefined> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return undefined;
    if (stats.size > maxHashedBytes) return { path, sizeBytes: stats.size, blake3: null };
    const hash = startBlake3();
    let sizeBytes = 0;
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxHashedBytes) return { path, sizeBytes: stats.size, blake3: null };
      hash.update(chunk);
    }
    return { path, sizeBytes, blake3: hash.hex() };
  } catch {
    return undefined;
  }
}
