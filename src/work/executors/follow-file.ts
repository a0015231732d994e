import { closeSync, constants, openSync, readSync } from 'node:fs';
import { LineSplitter } from '../../system/line-splitter.ts';
import { WORK_LIMITS } from '../work-limits.ts';

const CHUNK_BYTES = 64 * 1024;
/** Reading must not be outrun by a writer that never stops: the guard needs its turn. */
const POLL_BYTES = 4 * 1024 * 1024;
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Follows the lines that others append to a file. The file lies where an untrusted command can replace it, so it is opened once,
 * before that command starts, and never by name again.
 */
export function followFile(path: string, onLine: (line: string) => void) {
  const file = openSync(path, constants.O_CREAT | constants.O_RDONLY | constants.O_NOFOLLOW, 0o666);
  const lines = new LineSplitter(WORK_LIMITS.eventBytes);
  let offset = 0;
  const poll = (most = POLL_BYTES): void => {
    const end = Math.min(offset + most, MOST_BYTES);
    while (offset < end) {
      const buffer = Buffer.alloc(CHUNK_BYTES);
      const count = readSync(file, buffer, 0, CHUNK_BYTES, offset);
      if (count === 0) return;
      offset += count;
      lines.push(buffer.subarray(0, count)).forEach(onLine);
    }
  };
  return {
    /** Reads what is there by now. */
    poll: (): void => poll(),
    /** Reads the rest and lets go of the file. */
    end: (): void => {
      poll(MOST_BYTES);
      lines.end().forEach(onLine);
      closeSync(file);
    },
  };
}
