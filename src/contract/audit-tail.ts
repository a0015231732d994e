import { fstatSync, ftruncateSync, readSync } from 'node:fs';
import { checkText, isExact, isGenuine, parseLine } from './audit-chain.ts';

/** Where a chain ends. */
export interface AuditEnd {
  readonly seq: number;
  readonly hash: string;
}

export interface AuditTail {
  readonly end: AuditEnd;
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
  from: AuditEnd,
  key: Uint8Array,
  crashed: boolean,
): AuditTail {
  const { size } = fstatSync(log);
  if (size <= known) return { end: from, bytes: size, repaired: false };
  let end = from;
  let [stop, chained, isForged] = [known, known, false];
  for (const { text, stop: next } of linesAfter(log, known, size)) {
    const line = parseLine(text);
    stop = next;
    if (line !== undefined && checkText(text, end, key) === undefined) {
      end = { seq: line.seq, hash: line.hash };
      chained = stop;
    } else if (line !== undefined && !(isGenuine(line, key) && isExact(line, text))) isForged = true;
  }
  const bytes = crashed && !isForged ? chained : stop;
  if (bytes < size) ftruncateSync(log, bytes);
  return { end, bytes, repaired: bytes < size };
}

export const CHUNK_BYTES = 1024 * 1024;
/** Longer than any line that is written. */
const MAX_LINE_BYTES = 16 * CHUNK_BYTES;

/**
 * Reads the complete lines from an offset on, each with the offset after it; in chunks, so that a long log needs little memory. A line that
 * is too long is read as an empty one. `LineSplitter` does not know offsets, which cannot be computed from text that was not UTF-8.
 */
function* linesAfter(
  log: number,
  from: number,
  size: number,
): Generator<{ readonly text: string; readonly stop: number }> {
  // The start of a line whose end is in a later chunk.
  let [carry, carried]: [Buffer[], number] = [[], 0];
  for (let read = from; read < size;) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - read));
    readSync(log, chunk, 0, chunk.length, read);
    const offset = read;
    read += chunk.length;
    let start = 0;
    for (let stop = chunk.indexOf(10); stop >= 0; stop = chunk.indexOf(10, start)) {
      const isTooLong = carried > MAX_LINE_BYTES;
      const text = isTooLong ? '' : Buffer.concat([...carry, chunk.subarray(start, stop)]).toString('utf8');
      yield { text, stop: offset + stop + 1 };
      start = stop + 1;
      [carry, carried] = [[], 0];
    }
    carried += chunk.length - start;
    carry = carried > MAX_LINE_BYTES ? [] : [...carry, chunk.subarray(start)];
  }
}
