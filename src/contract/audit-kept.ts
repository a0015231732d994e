import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sha256 } from '../system/digest.ts';
import { writeFileDurably, readBytesIfPresent } from '../system/durable-file.ts';
import { keptName } from './audit-files.ts';
import type { RetiredMonth } from './audit-retired.ts';

/** Stores the lines of a retired month compressed and returns the name of the file. */
export function keepLines(folder: string, month: string, lines: Uint8Array): string {
  const name = keptName(month);
  writeFileDurably(join(folder, name), gzipSync(lines));
  return name;
}

/** Describes what is wrong with the compressed lines of a retired month; undefined when they are unchanged or were deleted. */
export function checkKept(folder: string, { kept, sha256: expected }: RetiredMonth): string | undefined {
  if (kept === null) return undefined;
  try {
    const bytes = readBytesIfPresent(join(folder, kept), Infinity);
    if (bytes === undefined) return `the lines of the retired month are missing: ${kept}`;
    return sha256(gunzipSync(bytes)) === expected ? undefined : 'changed lines of a retired month';
  } catch {
    return `the lines of the retired month cannot be read: ${kept}`;
  }
}
