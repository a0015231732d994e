import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime, parseTime } from './clock.ts';

test('a rendered time parses to the same time', () => {
  const times = fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(times, (date) => {
      expect(parseTime(isoTime(date.getTime()))).toBe(date.getTime());
    }),
  );
});

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T08:00Z', '2026-01-31T08:00:00.000Z'],
  ['2026-01-31T08:00:00.5+02:00', '2026-01-31T06:00:00.500Z'],
])('%s is %s', (text, time) => {
  expect(parseTime(text)).toBe(Date.parse(time));
});

test.each([
  '',
  '1',
  '2026',
  'version 3',
  '2026-1-5',
  '2026-13-01',
  '2026-01-31T08:00:00',
  'Jan 1 2026',
  '2026-01-31 08:00Z',
])('"%s" is not a time', (text) => {
  expect(parseTime(text)).toBeUndefined();
});
