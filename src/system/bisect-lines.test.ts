import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bisectLines } from './bisect-lines.ts';
import { readLinesBackward } from './read-lines-backward.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-bisect-'));
  file = join(folder, 'lines');
});
afterEach(() => rmSync(folder, { recursive: true }));

const CHUNK = 64 * 1024;
const write = (lines: readonly string[]): void =>
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index} ${'x'.repeat((index * 7919) % 500)}`);
const number = (line: string): number => Number(line.split(' ')[0]);

test('reading backward from the result reaches the last earlier line after at most one chunk of later ones', () => {
  const lines = numbered(5000);
  write(lines);
  for (const from of [0, 1, 2, 100, 2500, 4998, 4999, 5000]) {
    const position = bisectLines(file, (line) => number(line) >= from);
    const backward = [...readLinesBackward(file, position)].map(number);
    const skipped = backward.findIndex((found) => found < from);
    const passed = backward.slice(0, skipped < 0 ? backward.length : skipped);
    expect(backward[skipped] ?? -1).toBe(from - 1);
    expect(passed.reduce((sum, index) => sum + (lines[index]?.length ?? 0) + 1, 0)).toBeLessThanOrEqual(
      CHUNK,
    );
  }
});

test('reads few lines of a long file', () => {
  write(numbered(20_000));
  let calls = 0;
  bisectLines(file, (line) => {
    calls += 1;
    return number(line) >= 12_345;
  });
  expect(calls).toBeLessThan(10);
});

test('skips no line that cannot be classified', () => {
  write(numbered(5000));
  expect(bisectLines(file, () => undefined)).toBe(bisectLines(file, () => false));
});

test('terminates with lines longer than a chunk, and with an empty file', () => {
  write(['a'.repeat(3 * CHUNK), 'b'.repeat(3 * CHUNK)]);
  expect(bisectLines(file, () => true)).toBeGreaterThan(0);
  write([]);
  expect(bisectLines(file, () => true)).toBe(0);
});
