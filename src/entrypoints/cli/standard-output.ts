import { writeSync } from 'node:fs';
import { pause } from '../../base/pause.ts';
import { systemCode } from '../../base/system-fault.ts';
import type { Output } from '../../contract/dialect.ts';

/**
 * Writes to the file descriptors directly: this is faster than the streams, complete when it returns, and a closed pipe throws
 * immediately.
 */
export function standardOutput(): Output {
  return {
    stdout: (text) => writeAll(1, text),
    stderr: (text) => {
      try {
        writeAll(2, text);
      } catch {
        // Standard error is closed too; the error cannot be reported.
      }
    },
    // Getters, because they are needed only for text: loading the module and opening the stream each take longer than a JSON
    // reply.
    get stdoutIsTerminal() {
      return process.getBuiltinModule('node:tty').isatty(1);
    },
    get stderrIsTerminal() {
      return process.getBuiltinModule('node:tty').isatty(2);
    },
    get columns() {
      // Output to a file or a pipe is not truncated.
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
      // A non-blocking pipe is full; wait for its reader.
      if (systemCode(error) !== 'EAGAIN') throw error;
      pause(5);
    }
  }
}
