import { isPlainObject, type JsonObject } from '../../../base/json.ts';
import { LineSplitter } from '../../../system/line-splitter.ts';
import { performTool } from './perform-tool.ts';
import type { ToolContext, ToolReply } from './workspace-tool.ts';

interface CallLine {
  readonly id: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly max_bytes: number;
}

/** One line to the tools: a call, or the cancellation of a call. */
export type ToolLine = CallLine | { readonly cancel: number };

/** One line from the tools; the first one reports that they are ready. */
export type ReplyLine = { readonly ready: true } | ({ readonly id: number } & ToolReply);

/** The maximum length of a line in both directions. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface ToolStreams {
  readonly input: AsyncIterable<Uint8Array>;
  readonly write: (line: string) => void;
}

/**
 * Serves the tools of a workspace over lines of JSON until the input ends. Calls run one after another in their order, so that two
 * calls on the same file always have the same result.
 */
export async function serveTools(
  place: Omit<ToolContext, 'maxBytes' | 'signal'>,
  streams: ToolStreams,
): Promise<void> {
  const send = (line: ReplyLine): void => streams.write(`${JSON.stringify(line)}\n`);
  const calls = new Map<number, AbortController>();
  let last: Promise<void> = Promise.resolve();
  const perform = async (call: CallLine, signal: AbortSignal, before: Promise<void>): Promise<void> => {
    await before;
    const { id, tool, args, max_bytes: maxBytes } = call;
    const reply: ToolReply = signal.aborted
      ? { ok: false, reason: 'aborted' }
      : await performTool(tool, args, { ...place, maxBytes, signal });
    calls.delete(id);
    send({ id, ...reply });
  };
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  send({ ready: true });
  for await (const piece of streams.input) {
    const lines = splitter.push(piece);
    if (splitter.overflowed) break;
    for (const line of lines.map(parseLine)) {
      if (line === undefined) continue;
      if ('cancel' in line) {
        calls.get(line.cancel)?.abort();
        continue;
      }
      const controller = new AbortController();
      calls.set(line.id, controller);
      last = perform(line, controller.signal, last);
    }
  }
  for (const controller of calls.values()) controller.abort();
  await last;
}

function parseLine(line: string): ToolLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isPlainObject(value) ? (value as ToolLine) : undefined;
  } catch {
    return undefined;
  }
}
