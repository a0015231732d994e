import { closeSync, constants, readSync } from 'node:fs';
import { LineSplitter } from '../../system/line-splitter.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import { createPlaced } from '../workspace/place-file.ts';

const CHUNK_BYTES = 64 * 1024;
/** Limits one poll, so that a fast writer cannot starve the guard. */
const POLL_BYTES = 4 * 1024 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Follows lines that other processes append to a file. An untrusted command can replace the file, so it is opened once, before that
 * command starts, and never reopened by name.
 */
export function followFile(path: string, onLine: (line: string) => void) {
  // The command may run with a different uid inside its sandbox.
  const file = createPlaced(path, constants.O_RDONLY, 0o666);
  const lines = new LineSplitter(WORK_LIMITS.eventBytes);
  let offset = 0;
  const poll = (max = POLL_BYTES): void => {
    const end = Math.min(offset + max, MAX_BYTES);
    while (offset < end) {
      const buffer = Buffer.alloc(CHUNK_BYTES);
      const count = readSync(file, buffer, 0, CHUNK_BYTES, offset);
      if (count === 0) return;
      offset += count;
      lines.push(buffer.subarray(0, count)).forEach(onLine);
    }
  };
  return {
    /** Reads what was appended so far. */
    poll: (): void => poll(),
    /** Reads the rest and closes the file. */
    end: (): void => {
      poll(MAX_BYTES);
      lines.end().forEach(onLine);
      closeSync(file);
    },
  };
}
