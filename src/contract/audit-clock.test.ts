import { expect, test } from 'vitest';
import { compareTimes } from './audit-clock.ts';

const [NOW, SOON, NEXT_YEAR] = [
  '2026-11-19T12:00:00.000Z',
  '2026-12-30T12:00:00.000Z',
  '2027-11-19T12:00:00.000Z',
];

test('a line within two months of the last one, and the first line of a log, are plausible', () => {
  expect(compareTimes([], NOW)).toEqual({ state: 'plausible' });
  expect(compareTimes([NOW], SOON)).toEqual({ state: 'plausible' });
  expect(compareTimes([NEXT_YEAR], NOW)).toEqual({ state: 'plausible' });
});

test('a jump is certain when all lines were written after it; only the first line after it warns, with the time before it', () => {
  expect(compareTimes([NOW, NOW], NEXT_YEAR)).toMatchObject({
    state: 'ahead',
    warning: expect.stringContaining(NOW),
  });
  expect(compareTimes([NOW, NEXT_YEAR], NEXT_YEAR)).toEqual({ state: 'ahead', certainAt: NOW });
  expect(compareTimes([NEXT_YEAR, NEXT_YEAR], NEXT_YEAR)).toEqual({ state: 'plausible' });
});
