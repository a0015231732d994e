import type { JsonObject } from '../base/json.ts';
import { redact } from '../base/redact.ts';
import { toFault } from './exit-code.ts';
import type { StreamLine } from './reply.ts';
import { maskFault } from './shape-reply.ts';

/**
 * Turns a write that tells what it does into lines: what it emits, then its result or its error, then the summary. Lines come as
 * they happen, however slowly they are read.
 */
export async function* streamWrite(
  write: (emit: (item: JsonObject) => void) => Promise<JsonObject>,
  finish: (code: string | null) => Promise<void>,
  lost: Promise<never> = new Promise(() => undefined),
): AsyncGenerator<StreamLine> {
  const waiting: StreamLine[] = [];
  let wake: () => void = () => undefined;
  const push = (line: StreamLine): void => {
    waiting.push(line);
    wake();
  };
  let code: string | null | undefined;
  let count = 0;
  const emit = (item: JsonObject): void => {
    if (code === undefined) push({ type: 'item', data: redact(item) });
  };
  Promise.race([write(emit), lost])
    .then(
      (data) => {
        push({ type: 'item', data });
        code = null;
      },
      (error: unknown) => {
        const fault = toFault(error);
        push({ type: 'error', fault: maskFault(fault) });
        ({ code } = fault);
      },
    )
    .finally(() => wake());
  try {
    while (code === undefined || waiting.length > 0) {
      const line = waiting.shift();
      if (line !== undefined) {
        if (line.type === 'item') count += 1;
        yield line;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    // Still open when the reader went away in the middle.
    await finish(code === undefined ? 'E_IO' : code);
  }
  yield { type: 'summary', data: { count, complete: code === null } };
}
