import { writeSync } from 'node:fs';
import { pause } from '../../base/pause.ts';
import { systemCode } from '../../base/system-fault.ts';
import type { Output } from '../../contract/dialect.ts';

/**
 * Writes to the file descriptors directly: it is faster than the streams, complete when it returns, and a closed pipe is an
 * exception here and now, where it can be answered.
 */
export function standardOutput(): Output {
  return {
    stdout: (text) => writeAll(1, text),
    stderr: (text) => {
      try {
        writeAll(2, text);
      } catch {
        // Nobody listens any more; there is no third place to complain.
      }
    },
    // Asked only when a person is to read the answer: loading the module, and opening the stream, each cost more than a whole
    // JSON reply.
    get stdoutIsTerminal() {
      return process.getBuiltinModule('node:tty').isatty(1);
    },
    get stderrIsTerminal() {
      return process.getBuiltinModule('node:tty').isatty(2);
    },
    get columns() {
      // What goes into a file or a pipe is never cut.
      return process.stdout.columns || Number.POSITIVE_INFINITY;
    },
  };
}

function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      // A pipe that another process made non-blocking is full; its reader needs a moment.
      if (systemCode(error) !== 'EAGAIN') throw error;
      pause(5);
    }
  }
}
