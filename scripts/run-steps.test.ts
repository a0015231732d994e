import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi, type MockInstance } from 'vitest';
import { temporaryFolder } from '../test/fixtures/temporary-folder.ts';
import { runSteps, type Step } from './run-steps.ts';

const folder = temporaryFolder('steps');
afterAll(() => folder.dispose());

let log: MockInstance<typeof console.log>;
let write: MockInstance<typeof process.stdout.write>;
beforeEach(() => {
  log = vi.spyOn(console, 'log').mockReturnValue();
  write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(() => vi.restoreAllMocks());

const step = (name: string, script: string, after: readonly string[] = []): Step => ({
  name,
  command: ['sh', '-c', `cd '${folder.path}'; ${script}`],
  after,
});

test('a step starts after the steps that it needs, even if one of them failed', async () => {
  const results = await runSteps(
    [
      step('third', 'cat second', ['second']),
      step('second', 'cat first > second; exit 3', ['first']),
      step('first', 'echo 1 > first'),
    ],
    2,
  );
  expect(results).toEqual([
    { name: 'first', ok: true },
    { name: 'second', ok: false },
    { name: 'third', ok: true },
  ]);
  expect(readFileSync(join(folder.path, 'second'), 'utf8')).toBe('1\n');
  expect(write.mock.calls.map(([chunk]) => String(chunk)).join('')).toBe('1\n');
  expect(log.mock.calls.map(([line]) => String(line).replace(/[\d.]+ s/u, '0 s'))).toEqual([
    'ok  first (0 s)',
    'FAILED  second (0 s)',
    'ok  third (0 s)',
  ]);
});

test('independent steps run at the same time', async () => {
  const meet = (own: string, other: string): string =>
    `touch ${own}; for i in $(seq 600); do test -e ${other} && exit 0; sleep 0.1; done; exit 1`;
  const results = await runSteps(
    [step('a', meet('here-a', 'here-b')), step('b', meet('here-b', 'here-a'))],
    2,
  );
  expect(results.map(({ ok }) => ok)).toEqual([true, true]);
  expect(existsSync(join(folder.path, 'here-a'))).toBe(true);
});

test('a program that does not exist is a failed step', async () => {
  expect(await runSteps([{ name: 'missing', command: ['/nonexistent/program'] }], 2)).toEqual([
    { name: 'missing', ok: false },
  ]);
});

test('steps that need each other are an error', async () => {
  await expect(runSteps([step('a', 'true', ['b']), step('b', 'true', ['a'])], 2)).rejects.toThrow(
    'Steps that wait for each other: a, b',
  );
});
