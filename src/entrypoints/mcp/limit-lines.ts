import { Transform } from 'node:stream';
import { INVALID_REQUEST } from '@modelcontextprotocol/server';
import { LineSplitter } from '../../system/line-splitter.ts';
import { answerInvalidLine } from './invalid-line.ts';

/** The longest message of a client: more than any call needs, and small enough to hold in memory. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** The answer to a line that was skipped; its request id is unknown. */
const LINE_TOO_LONG = {
  jsonrpc: '2.0',
  id: null,
  error: {
    code: INVALID_REQUEST,
    message: `The message has more than ${MAX_MESSAGE_BYTES} bytes and was skipped. Send large content as a file, and its path as the parameter.`,
  },
} as const;

/**
 * Passes on whole lines, each as one chunk. The transport of the SDK closes the connection after a line that exceeds its buffer; here
 * such a line is answered once and skipped without being held in memory, and so is a line that is not a message. The stream ends after `beforeEnd`, with a last line that has no
 * line feed too.
 */
export function limitLines(
  reply: (answer: object) => void,
  { maxBytes = MAX_MESSAGE_BYTES, beforeEnd = () => Promise.resolve() }: LineOptions = {},
): Transform {
  const splitter = new LineSplitter(maxBytes, () => reply(LINE_TOO_LONG));
  const passOn = (stream: Transform, lines: readonly string[]): void => {
    for (const line of lines) {
      const answer = answerInvalidLine(line);
      if (answer === undefined) stream.push(Buffer.from(`${line}\n`));
      else reply(answer);
    }
  };
  return new Transform({
    readableObjectMode: true,
    transform(chunk: Buffer, _encoding, done) {
      passOn(this, splitter.push(chunk));
      done();
    },
    flush(done) {
      passOn(this, splitter.end());
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
