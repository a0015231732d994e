import { fstatSync, readSync } from 'node:fs';
import { isExact, isGenuine, parseLine } from './audit-chain.ts';
import { logFiles } from './audit-files.ts';
import { chainStart, readRetired } from './audit-retired.ts';
import { CHUNK_BYTES, type AuditEnd } from './audit-tail.ts';
import { withAuditFile } from './with-audit-file.ts';

/** Where the next line of a log follows. */
export interface ChainPosition {
  readonly file: string;
  readonly end: AuditEnd;
  readonly bytes: number;
  /** The lines from here on may not have reached the disk. */
  readonly crashed: boolean;
}

/** Where a log without a head ends: at its last valid line. `audit verify` checks what precedes it. */
export function findAuditEnd(folder: string, key: Uint8Array): ChainPosition {
  for (const file of logFiles(folder).toReversed()) {
    let found: ReturnType<typeof findLastLine>;
    withAuditFile(folder, file, (log) => void (found = findLastLine(log, key)));
    if (found !== undefined) return { file, ...found, crashed: false };
  }
  return { file: '', end: chainStart(readRetired(folder)), bytes: 0, crashed: false };
}

/** Finds the last line with a valid signature, from the end on: the cost does not grow with the log. */
function findLastLine(
  log: number,
  key: Uint8Array,
): { readonly end: AuditEnd; readonly bytes: number } | undefined {
  const { size } = fstatSync(log);
  for (let length = Math.min(size, CHUNK_BYTES); length > 0; length = Math.min(size, length * 4)) {
    const text = Buffer.alloc(length);
    readSync(log, text, 0, length, size - length);
    for (let stop = text.lastIndexOf(10); stop >= 0;) {
      const start = stop === 0 ? -1 : text.lastIndexOf(10, stop - 1);
      // The line may start before this part.
      if (start < 0 && length < size) break;
      const content = text.toString('utf8', start + 1, stop);
      const line = parseLine(content);
      if (line !== undefined && isGenuine(line, key) && isExact(line, content))
        return { end: { seq: line.seq, hash: line.hash }, bytes: size - length + stop + 1 };
      stop = start;
    }
    if (length === size) return undefined;
  }
  return undefined;
}
