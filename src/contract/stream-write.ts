import type { JsonObject } from '../base/json.ts';
import { redact } from '../base/redact.ts';
import { toFault } from './exit-code.ts';
import type { StreamLine } from './reply.ts';
import { maskFault } from './shape-reply.ts';

/**
 * Turns a streaming write into lines: what it emits, then its result or its error, then the summary. The write does not wait for
 * the reader.
 */
export async function* streamWrite(
  write: (emit: (item: JsonObject) => void) => Promise<JsonObject>,
  finish: (code: string | null) => Promise<void>,
  lost: Promise<never> = new Promise(() => undefined),
): AsyncGenerator<StreamLine> {
  const waiting: StreamLine[] = [];
  const state: { code?: string | null; wake: () => void } = { wake: () => undefined };
  const push = (line: StreamLine): void => {
    waiting.push(line);
    state.wake();
  };
  const settle = async (): Promise<void> => {
    try {
      const data = await Promise.race([
        write((item) => {
          if (state.code === undefined) push({ type: 'item', data: redact(item) });
        }),
        lost,
      ]);
      state.code = null;
      push({ type: 'item', data });
    } catch (error) {
      const fault = toFault(error);
      state.code = fault.code;
      push({ type: 'error', fault: maskFault(fault) });
    }
  };
  let count = 0;
  void settle();
  try {
    while (state.code === undefined || waiting.length > 0) {
      const line = waiting.shift();
      if (line !== undefined) {
        if (line.type === 'item') count += 1;
        yield line;
      } else {
        await new Promise<void>((resolve) => {
          state.wake = resolve;
        });
      }
    }
  } finally {
    // Undefined when the reader stopped early.
    await finish(state.code === undefined ? 'E_IO' : state.code);
  }
  yield { type: 'summary', data: { count, complete: state.code === null } };
}
