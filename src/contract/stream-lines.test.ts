import { afterEach, expect, test, vi } from 'vitest';
import * as v from 'valibot';
import { int } from '../base/schema.ts';
import { createKernelContext, type KernelContext } from '../../test/fixtures/kernel-context.ts';
import { Fault } from '../base/fault.ts';
import { createPaint } from '../base/paint.ts';
import { defineStream, type StreamCommand } from './command.ts';
import type { StreamLine } from './reply.ts';
import { streamLines } from './stream-lines.ts';

const contexts: KernelContext[] = [];
afterEach(() => contexts.splice(0).forEach((context) => context.dispose()));

function stream(run: () => AsyncIterable<{ n: number }>, lost?: Promise<never>) {
  const context = createKernelContext();
  contexts.push(context);
  const finish = vi.fn(async (_code: string | null) => undefined);
  const command = defineStream({
    path: 'thing stream',
    summary: 'Stream',
    params: {},
    item: v.object({ n: int() }),
    examples: [],
    run,
  }) as StreamCommand;
  const lines = streamLines(command, {}, context, { finish, lost });
  return { lines, finished: () => finish.mock.calls.map(([code]) => code) };
}

async function* numbers(count: number, cleanUp: () => void = () => undefined): AsyncGenerator<{ n: number }> {
  try {
    for (let n = 1; n <= count; n += 1) yield { n };
  } finally {
    cleanUp();
  }
}

async function all(lines: AsyncIterable<StreamLine>): Promise<StreamLine[]> {
  const received: StreamLine[] = [];
  for await (const line of lines) received.push(line);
  return received;
}

test.each([
  ['with', new Promise<never>(() => undefined)],
  ['without', undefined],
])('items are followed by their summary, %s a promise that can abandon the command', async (_how, lost) => {
  const { lines, finished } = stream(() => numbers(2), lost);
  expect(await all(lines)).toEqual([
    { type: 'item', data: { n: 1 } },
    { type: 'item', data: { n: 2 } },
    { type: 'summary', data: { count: 2, complete: true } },
  ]);
  expect(finished()).toEqual([null]);
});

test('a failure is a line, followed by the summary', async () => {
  const { lines, finished } = stream(async function* () {
    yield { n: 1 };
    throw new Fault('E_NETWORK', 'gone');
  });
  expect(await all(lines)).toMatchObject([
    { type: 'item' },
    { type: 'error', fault: { code: 'E_NETWORK' } },
    { type: 'summary', data: { count: 1, complete: false } },
  ]);
  expect(finished()).toEqual(['E_NETWORK']);
});

test.each([
  ['with', new Promise<never>(() => undefined)],
  ['without', undefined],
])(
  'when the reader stops, the command cleans up and the end is recorded, %s a promise that can abandon it',
  async (_how, lost) => {
    const cleanUp = vi.fn();
    const { lines, finished } = stream(() => numbers(5, cleanUp), lost);
    for await (const line of lines) {
      expect(line).toEqual({ type: 'item', data: { n: 1 } });
      break;
    }
    expect([finished(), cleanUp.mock.calls.length]).toEqual([['E_IO'], 1]);
  },
);

test('an abandoned command that hangs ends with an error and a summary', async () => {
  const { promise: lost, reject } = Promise.withResolvers<never>();
  const { lines, finished } = stream(async function* () {
    yield { n: 1 };
    await new Promise(() => undefined);
  }, lost);
  setTimeout(() => reject(new Fault('E_INTERRUPTED', 'enough')), 10);
  expect((await all(lines)).map(({ type }) => type)).toEqual(['item', 'error', 'summary']);
  expect(finished()).toEqual(['E_INTERRUPTED']);
});

test('an abandoned command yields no more items', async () => {
  const { promise: lost, reject } = Promise.withResolvers<never>();
  const { lines } = stream(() => numbers(1000), lost);
  const received: StreamLine[] = [];
  for await (const line of lines) {
    received.push(line);
    if (received.length === 3) reject(new Fault('E_INTERRUPTED', 'enough'));
  }
  expect(received.length).toBeLessThan(8);
  expect(received.slice(-2).map(({ type }) => type)).toEqual(['error', 'summary']);
});

test('items with a text form are rendered in it, and the summary is empty', async () => {
  const context = createKernelContext();
  contexts.push(context);
  const command = defineStream({
    path: 'thing stream',
    summary: 'Stream',
    params: {},
    item: v.object({ n: int() }),
    examples: [],
    run: () => numbers(2),
    renderText: ({ n }, paint) => paint.bold(`number ${n}`),
  }) as StreamCommand;
  const paint = createPaint(false, {});
  const lines = await all(streamLines(command, {}, context, { finish: async () => undefined }));
  expect(lines.map((line) => (line.type === 'error' ? undefined : line.text?.(paint, 80)))).toEqual([
    'number 1',
    'number 2',
    '',
  ]);
});

test('a stream without the schema of its items is rejected where it is defined, with its path', () => {
  const definition = { path: 'thing stream', summary: 'Stream', params: {}, examples: [], run: () => [] };
  expect(() => defineStream(definition as never)).toThrow('The command "thing stream" needs "item"');
});
