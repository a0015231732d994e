import { expect, test } from 'vitest';
import { formatReason } from './format.ts';

test('a reason is in words, and names people as they are called', () => {
  expect(formatReason('denied:Rejected by user:bob')).toBe('Denied: Rejected by bob');
  expect(formatReason('Rejected by user:bob: too large')).toBe('Rejected by bob: too large');
  expect(formatReason('timeout: no answer')).toBe('Timed out: no answer');
  expect(formatReason(undefined)).toBe('no reason given');
});
