import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

test('lines are the same for any chunk boundaries', () => {
  const lines = fc.array(
    fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', '')),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(lines, fc.infiniteStream(fc.integer({ min: 1, max: 5 })), (written, sizes) => {
      const bytes = Buffer.from(written.join('\n'));
      const splitter = new LineSplitter();
      const read: string[] = [];
      for (let start = 0; start < bytes.length;) {
        const end = start + (sizes.next().value ?? 1);
        read.push(...splitter.push(bytes.subarray(start, end)));
        start = end;
      }
      read.push(...splitter.end());
      // An empty remainder is not a line.
      expect(read).toEqual(written.at(-1) === '' ? written.slice(0, -1) : written);
      expect(splitter.end()).toEqual([]);
    }),
  );
});

test('a line longer than the limit is skipped, and the lines around it are not', () => {
  const splitter = new LineSplitter(5);
  const read = ['12345\n', '123', '456', '\nab', 'c\n', '123456'].flatMap((piece) => [
    ...splitter.push(Buffer.from(piece)),
  ]);
  expect([...read, ...splitter.end()]).toEqual(['12345', 'abc']);
  expect([splitter.overflowed, new LineSplitter(5).overflowed]).toEqual([true, false]);
});
