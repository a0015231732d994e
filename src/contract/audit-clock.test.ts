import { expect, test } from 'vitest';
import { readAuditClock } from './audit-clock.ts';

const [NOW, SOON, NEXT_YEAR] = [
  '2026-11-19T12:00:00.000Z',
  '2026-12-30T12:00:00.000Z',
  '2027-11-19T12:00:00.000Z',
];

test('a line of the next weeks, or the first one, is plausible', () => {
  expect(readAuditClock([], NOW)).toEqual({ state: 'plausible' });
  expect(readAuditClock([NOW], SOON)).toEqual({ state: 'plausible' });
  expect(readAuditClock([NEXT_YEAR], NOW)).toEqual({ state: 'plausible' });
});

test('a jump is certain when all lines are from after it, and its first line names the time before', () => {
  expect(readAuditClock([NOW, NOW], NEXT_YEAR)).toEqual({ state: 'ahead', jumpedFrom: NOW });
  expect(readAuditClock([NOW, NEXT_YEAR], NEXT_YEAR)).toEqual({ state: 'ahead' });
  expect(readAuditClock([NEXT_YEAR, NEXT_YEAR], NEXT_YEAR)).toEqual({ state: 'plausible' });
});
