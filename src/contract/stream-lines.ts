import type { JsonObject } from '../base/json.ts';
import type { StreamCommand, CommandContext } from './command.ts';
import { toFault } from './exit-code.ts';
import type { StreamLine } from './reply.ts';
import type { Selection } from './select-fields.ts';
import { maskFault, shapeValue } from './shape-reply.ts';

export interface StreamOptions {
  readonly fields?: Selection | undefined;
  /** Called once at the end, with the code of the fault that ended the stream, or null. */
  readonly finish: (code: string | null) => Promise<void>;
  /** Rejects when the command will not finish: it ignored the abort signal, crashed outside its promise, or hangs. */
  readonly lost?: Promise<never> | undefined;
}

/**
 * Turns a command's items into lines. A failure becomes an error line, and the summary still follows, so that a reader always
 * knows whether the stream is complete.
 */
export async function* streamLines(
  command: StreamCommand,
  params: Record<string, unknown>,
  context: CommandContext,
  { fields, finish, lost }: StreamOptions,
): AsyncGenerator<StreamLine> {
  let count = 0;
  // The code of a stream whose reader stops early: nothing below replaces it then.
  let code: string | null = 'E_IO';
  try {
    const items = command.run(params, context);
    for await (const item of lost === undefined ? items : untilLost(items, lost)) {
      context.signal.throwIfAborted();
      count += 1;
      const { data, text } = shapeValue(command, item as JsonObject, fields);
      yield { type: 'item', data, ...(text && { text }) };
    }
    // Items may be missing after an interrupt, so the stream does not count as complete.
    context.signal.throwIfAborted();
    code = null;
  } catch (error) {
    const fault = toFault(error);
    code = fault.code;
    yield { type: 'error', fault: maskFault(fault) };
  } finally {
    await finish(code);
  }
  const data = { count, complete: code === null };
  yield { type: 'summary', data, ...(command.renderText && fields === undefined && { text: () => '' }) };
}

/** Iterates to the end, or until the command is abandoned, even while it waits for an item. */
async function* untilLost<T>(items: AsyncIterable<T>, lost: Promise<never>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  let abandoned: { readonly reason: unknown } | undefined;
  let stopWaiting: (reason: unknown) => void = () => undefined;
  // One handler for the whole stream; a race for each item would leak a handler every time.
  lost.catch((reason: unknown) => {
    abandoned = { reason };
    stopWaiting(reason);
  });
  try {
    for (;;) {
      if (abandoned !== undefined) throw abandoned.reason;
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        stopWaiting = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // An iterator that hangs would hang here too.
    if (abandoned === undefined) await iterator.return?.();
  }
}
