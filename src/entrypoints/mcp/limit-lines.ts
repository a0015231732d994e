import { Transform } from 'node:stream';
import { INVALID_REQUEST } from '@modelcontextprotocol/server';
import { LineSplitter } from '../../system/line-splitter.ts';

/** The longest message of a client: more than any call needs, and small enough to hold in memory. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** The answer to a line that was skipped; its request id is unknown. */
export const LINE_TOO_LONG = {
  jsonrpc: '2.0',
  id: null,
  error: {
    code: INVALID_REQUEST,
    message: `The message has more than ${MAX_MESSAGE_BYTES} bytes and was skipped. Send large content as a file, and its path as the parameter.`,
  },
} as const;

/**
 * Passes on whole lines, each as one chunk. The transport of the SDK closes the connection after a line that exceeds its buffer; here
 * such a line is reported once and skipped without being held in memory. The stream ends after `beforeEnd`, with a last line that has no
 * line feed too.
 */
export function limitLines(
  onTooLong: () => void,
  { maxBytes = MAX_MESSAGE_BYTES, beforeEnd = () => Promise.resolve() }: LineOptions = {},
): Transform {
  const splitter = new LineSplitter(maxBytes, onTooLong);
  return new Transform({
    readableObjectMode: true,
    transform(chunk: Buffer, _encoding, done) {
      for (const line of splitter.push(chunk)) this.push(Buffer.from(`${line}\n`));
      done();
    },
    flush(done) {
      for (const line of splitter.end()) this.push(Buffer.from(`${line}\n`));
      // The line reaches the reader before the wait begins.
      setImmediate(() => void endAfter(beforeEnd, done));
    },
  });
}

interface LineOptions {
  readonly maxBytes?: number;
  readonly beforeEnd?: () => Promise<void>;
}

async function endAfter(beforeEnd: () => Promise<void>, done: () => void): Promise<void> {
  await beforeEnd();
  done();
}
