import { describe, expect, it } from 'vitest';
import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import { streamWrite } from './stream-write.ts';

type Write = (emit: (item: JsonObject) => void) => Promise<JsonObject>;

async function collect(
  write: Write,
  lost?: Promise<never>,
): Promise<{ lines: unknown[]; codes: (string | null)[] }> {
  const codes: (string | null)[] = [];
  const lines: unknown[] = [];
  for await (const line of streamWrite(write, async (code) => void codes.push(code), lost)) {
    lines.push(line.type === 'error' ? line.fault.code : line.data);
  }
  return { lines, codes };
}

describe('a write that streams', () => {
  it('yields its emitted lines, its result and the summary, in order', async () => {
    const write: Write = async (emit) => {
      emit({ n: 1 });
      await new Promise((resolve) => setImmediate(resolve));
      emit({ n: 2, token: 'secret' });
      return { done: true };
    };
    expect(await collect(write)).toEqual({
      lines: [{ n: 1 }, { n: 2, token: '[REDACTED]' }, { done: true }, { count: 3, complete: true }],
      codes: [null],
    });
  });

  it('ends with its error and an incomplete summary', async () => {
    const write: Write = async (emit) => {
      emit({ n: 1 });
      throw new Fault('E_DENIED', 'no');
    };
    expect(await collect(write)).toEqual({
      lines: [{ n: 1 }, 'E_DENIED', { count: 1, complete: false }],
      codes: ['E_DENIED'],
    });
  });

  it('is abandoned when waiting is pointless, and yields nothing after that', async () => {
    let late: (item: JsonObject) => void = () => undefined;
    const write: Write = (emit) => {
      late = emit;
      return new Promise(() => undefined);
    };
    const lost = Promise.reject(new Fault('E_INTERRUPTED', 'gone'));
    const { lines } = await collect(write, lost);
    late({ n: 9 });
    expect(lines).toEqual(['E_INTERRUPTED', { count: 0, complete: false }]);
  });

  it('is recorded as incomplete when its reader stops', async () => {
    const codes: (string | null)[] = [];
    const write: Write = (emit) => {
      emit({ n: 1 });
      return new Promise(() => undefined);
    };
    for await (const line of streamWrite(write, async (code) => void codes.push(code))) {
      expect(line.type).toBe('item');
      break;
    }
    expect(codes).toEqual(['E_IO']);
  });
});
