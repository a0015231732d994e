import { expect, test } from 'vitest';
import { createId, createTail, ID_BODY, ID_TAIL } from './ids.ts';

const NOW = Date.UTC(2026, 10, 16, 12);

test('an id has its prefix, eight characters of time and five random ones', () => {
  expect(createId('task', NOW)).toMatch(new RegExp(`^task_${ID_BODY}$`, 'u'));
  expect(createId('task', NOW, '0000z')).toBe('task_6a2x74g00000z');
  expect(createTail(NOW)).toMatch(new RegExp(`^${ID_TAIL}$`, 'u'));
});

test('ids of one process sort in the order of their creation, also within a millisecond', () => {
  const ids = Array.from({ length: 5000 }, (_, index) => createId('run', NOW + Math.floor(index / 1000)));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('ids of different milliseconds have different random characters', () => {
  const tails = Array.from({ length: 50 }, (_, index) => createTail(NOW + index));
  expect(new Set(tails).size).toBe(tails.length);
  expect(tails.toSorted()).not.toEqual(tails);
});

test('ids sort after those of version 0.1.0', () => {
  const released = [
    `task_${NOW}000000_ffffffffffff`,
    `task_${NOW.toString(16).padStart(12, '0')}ffffffffffff`,
  ];
  for (const older of released) expect(createId('task', NOW) > older).toBe(true);
});

test('a clock before 2020 gives an id too', () => {
  expect(createId('task', 0, '00000')).toBe('task_0000000000000');
});
