import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunksOf } from './chunks-of.ts';

test('the chunks concatenate to the array, and none is empty or too large', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 7 }), (list, size) => {
      const chunks = chunksOf(list, size);
      expect(chunks.flat()).toEqual(list);
      expect(chunks.every((chunk) => chunk.length > 0 && chunk.length <= size)).toBe(true);
      expect(chunks.slice(0, -1).every((chunk) => chunk.length === size)).toBe(true);
    }),
  );
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('a chunk cannot have %d elements', (size) => {
  expect(() => chunksOf([1], size)).toThrow('a chunk cannot have');
});

test('a string is split like an array', () => {
  expect([chunksOf('abcde', 2), chunksOf('', 2)]).toEqual([['ab', 'cd', 'e'], []]);
});
