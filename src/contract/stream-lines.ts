import type { JsonObject } from '../base/json.ts';
import type { StreamCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import { toFault } from './exit-code.ts';
import type { StreamLine } from './reply.ts';
import type { Selection } from './select-fields.ts';
import { maskFault, shapeValue } from './shape-reply.ts';

/**
 * Turns a command's items into lines. A failure in the middle becomes a line of its own, and the summary still follows, so that
 * a reader always knows whether it has seen everything.
 */
export async function* streamLines(
  command: StreamCommand,
  params: Record<string, unknown>,
  context: CommandContext,
  fields: Selection | undefined,
  finish: (code: string | null) => Promise<void>,
): AsyncGenerator<StreamLine> {
  let count = 0;
  let code: string | null = null;
  try {
    for await (const item of command.run(params, context)) {
      context.signal.throwIfAborted();
      count += 1;
      yield { type: 'item', data: shapeValue(command, item as JsonObject, fields).data };
    }
  } catch (error) {
    const fault = toFault(error);
    code = fault.code;
    yield { type: 'error', fault: maskFault(fault) };
  }
  await finish(code);
  yield { type: 'summary', data: { count, complete: code === null } };
}
