import { fstatSync, ftruncateSync, readSync } from 'node:fs';
import { checkText, isExact, isGenuine, parseLine } from './audit-chain.ts';

/** Where a chain ends. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

export interface LogTail {
  readonly end: ChainEnd;
  /** The size of the file after the repair. */
  readonly bytes: number;
  /** Whether an incomplete line was removed. */
  readonly repaired: boolean;
}

/**
 * Follows the chain past the known bytes of a file and removes an incomplete line at its end. After a power loss (`crashed`) it
 * removes everything after the last line of the chain, because the disk may have stored later parts of the file but not earlier
 * ones. A line with a wrong signature is never removed: `audit verify` must find it.
 */
export function readTail(
  log: number,
  known: number,
  from: ChainEnd,
  key: Uint8Array,
  crashed: boolean,
): LogTail {
  const { size } = fstatSync(log);
  if (size <= known) return { end: from, bytes: size, repaired: false };
  const tail = Buffer.alloc(size - known);
  readSync(log, tail, 0, tail.length, known);
  let end = from;
  let [start, chained, isForged] = [0, 0, false];
  for (let stop = tail.indexOf(10); stop >= 0; stop = tail.indexOf(10, start)) {
    const text = tail.toString('utf8', start, stop);
    const line = parseLine(text);
    start = stop + 1;
    if (line !== undefined && checkText(text, end, key) === undefined) {
      end = { seq: line.seq, hash: line.hash };
      chained = start;
    } else if (line !== undefined && !(isGenuine(line, key) && isExact(line, text))) isForged = true;
  }
  const bytes = crashed && !isForged ? chained : start;
  if (bytes < tail.length) ftruncateSync(log, known + bytes);
  return { end, bytes: known + bytes, repaired: bytes < tail.length };
}
