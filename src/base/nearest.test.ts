import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

const words = [
  'config get',
  'config set',
  'config list',
  'audit list',
  'context',
  'doctor',
  '--limit',
  '--fields',
];

test.each([
  ['contxt', 'context'],
  ['docotr', 'doctor'],
  ['--limti', '--limit'],
  ['config gte', 'config get'],
  ['audit lst', 'audit list'],
])('the nearest to %s is %s', (typo, meant) => {
  expect(nearest(typo, words)).toBe(meant);
});

test.each(['', 'xyzzy', 'completely different'])('there is no candidate near "%s"', (word) => {
  expect(nearest(word, words)).toBeUndefined();
});

test('one wrong, missing or extra letter is always found', () => {
  const edit = fc.tuple(
    fc.constantFrom(...words.filter((word) => word.length > 4)),
    fc.nat(),
    fc.constantFrom('replace', 'remove', 'insert'),
  );
  fc.assert(
    fc.property(edit, ([word, at, kind]) => {
      const index = at % word.length;
      const typo =
        word.slice(0, index) +
        (kind === 'remove' ? '' : '~') +
        word.slice(kind === 'insert' ? index : index + 1);
      expect(nearest(typo, [word])).toBe(word);
    }),
  );
});

test('the result is one of the candidates or undefined, and a long word is fast', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), (word, candidates) => {
      const answer = nearest(word, candidates);
      if (answer !== undefined) expect(candidates).toContain(answer);
    }),
  );
  // The fastest of several calls: on a busy machine a single one may be paused.
  const durations = Array.from({ length: 10 }, () => {
    const started = performance.now();
    nearest('x'.repeat(1_000_000), words);
    return performance.now() - started;
  });
  expect(Math.min(...durations)).toBeLessThan(200);
});
