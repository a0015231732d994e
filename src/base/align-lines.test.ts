import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addedLines, alignLines, splitLines } from './align-lines.ts';

describe('the alignment of two texts', () => {
  it('finds the lines that were added', () => {
    const before = ['a', '', 'b', '', 'c'];
    expect(addedLines(before, ['a', '', 'new', '', 'b', '', 'c'])).toEqual(['new', '']);
    expect([...alignLines(before, ['b', 'x', 'c'])]).toEqual([2, -1, 4]);
    expect(splitLines('a\r\nb\n')).toEqual(['a', 'b']);
  });

  it('maps equal lines to each other, in order', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '', '}'), { maxLength: 30 });
    fc.assert(
      fc.property(text, text, (from, to) => {
        const aligned = [...alignLines(from, to)];
        const pairs = aligned.flatMap((at, index) => (at === -1 ? [] : [[at, index] as const]));
        expect(pairs.every(([at, index]) => from[at] === to[index])).toBe(true);
        expect(pairs.map(([at]) => at)).toEqual(pairs.map(([at]) => at).toSorted((x, y) => x - y));
        expect(new Set(pairs.map(([at]) => at)).size).toBe(pairs.length);
      }),
    );
  });

  it('aligns every line of equal texts, and is fast for long ones', () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}`);
    expect(addedLines(lines, ['first', ...lines, 'last'])).toEqual(['first', 'last']);
    const changed = lines.map((line, index) => (index % 7 === 0 ? `${line}!` : line));
    expect(addedLines(lines, changed)).toHaveLength(Math.ceil(50_000 / 7));
  });
});
