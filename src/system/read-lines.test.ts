import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { LONG } from '../../test/fixtures/start-node.ts';
import { readAllLines, readLines } from './read-lines.ts';
import { readLinesBackward } from './read-lines-backward.ts';

const folder = mkdtempSync(join(tmpdir(), 'deed-lines-'));
const file = join(folder, 'log');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lines of a repeated short text, so that they end on both sides of every chunk boundary. */
const lines = fc.array(
  fc
    .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 30_000 }))
    .map(([text, times]) => text.replaceAll('\n', ' ').repeat(times)),
  { maxLength: 12 },
);

test('lines are read as they were written, in both directions', async () => {
  await fc.assert(
    fc.asyncProperty(lines, async (written) => {
      writeFileSync(file, written.map((line) => `${line}\n`).join(''));
      expect(await linesOf(file)).toEqual(written);
      expect([...readLinesBackward(file)]).toEqual(written.toReversed());
    }),
    { numRuns: LONG ? 60 : 20 },
  );
});

test('only a line feed ends a line', async () => {
  const written = ['a\u2028b', 'c\u2029d', 'e\rf', 'g\u0085h', '\uFEFFi'];
  writeFileSync(file, `${written.join('\n')}\n`);
  expect(await linesOf(file)).toEqual(written);
  expect([...readLinesBackward(file)]).toEqual(written.toReversed());
});

test('an incomplete line at the end is skipped until it is complete', async () => {
  writeFileSync(file, 'one\ntw');
  expect(await linesOf(file)).toEqual(['one']);
  appendFileSync(file, 'o\n');
  expect(await linesOf(file)).toEqual(['one', 'two']);
});

test('an incomplete line at the end is a line of a complete file', async () => {
  writeFileSync(file, 'one\ntw');
  expect(await linesOf(file, readAllLines)).toEqual(['one', 'tw']);
  writeFileSync(file, 'one\n');
  expect(await linesOf(file, readAllLines)).toEqual(['one']);
});

test('a line that no program wrote, read backward, is empty, and costs bounded memory', () => {
  writeFileSync(file, 'one\n');
  truncateSync(file, 80 * 1024 * 1024);
  appendFileSync(file, 'x\ntwo\n');
  expect([...readLinesBackward(file)]).toEqual(['two', '', 'one']);
  writeFileSync(file, '');
  truncateSync(file, 80 * 1024 * 1024);
  expect([...readLinesBackward(file)]).toEqual(['']);
});

test('an empty file has no lines', async () => {
  writeFileSync(file, '');
  expect([await linesOf(file), [...readLinesBackward(file)]]).toEqual([[], []]);
});

async function linesOf(path: string, read = readLines): Promise<string[]> {
  const result: string[] = [];
  for await (const line of read(path)) result.push(line);
  return result;
}
