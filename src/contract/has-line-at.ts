import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readLinesBackward } from '../system/read-lines-backward.ts';
import { readRange } from '../system/read-range.ts';
import { parseLine } from './audit-chain.ts';
import type { FlushedLine } from './audit-head.ts';

const LINE_FEED = 10;

/** Whether a log file contains this line, and the line ends at the byte that the head records. */
export function hasLineAt(folder: string, file: string, { seq, hash, bytes }: FlushedLine): boolean {
  if (seq === 0 || bytes === 0) return true;
  const path = join(folder, file);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < bytes) return false;
  if (readRange(path, bytes - 1, 1)[0] !== LINE_FEED) return false;
  for (const text of readLinesBackward(path, bytes)) {
    const line = parseLine(text);
    return line?.seq === seq && line.hash === hash;
  }
  return false;
}
