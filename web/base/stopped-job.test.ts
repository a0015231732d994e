import { expect, test } from 'vitest';
import { itemsLeft } from './stopped-job.ts';

type Job = Parameters<typeof itemsLeft>[0];

const items = ['success', 'pending', 'ready'].map((status) => ({ item_id: status, run_id: null, status }));
const job: Job = { status: 'pending', waiting: [], items };

test('a job whose last decision was made has items that nothing runs', () => {
  expect(itemsLeft(job)).toBe(2);
});

test('a job that runs, waits for a decision or is in a queue has none', () => {
  expect(itemsLeft({ ...job, status: 'running' })).toBe(0);
  expect(itemsLeft({ ...job, waiting: ['run_1'] })).toBe(0);
  expect(itemsLeft({ ...job, queue: 'nightly' })).toBe(0);
});
