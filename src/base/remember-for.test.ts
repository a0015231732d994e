import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { rememberFor } from './remember-for.ts';

it('reads once for each key until the time is over', async () => {
  let reads = 0;
  const read = rememberFor(
    40,
    (name: string) => name,
    async (name) => `${name}${(reads += 1)}`,
  );
  expect(await Promise.all([read('a'), read('a'), read('b')])).toEqual(['a1', 'a1', 'b2']);
  await sleep(60);
  expect(await read('a')).toBe('a3');
});

it('reads again after a failure', async () => {
  let reads = 0;
  const read = rememberFor(
    10_000,
    () => '',
    async () => {
      reads += 1;
      if (reads === 1) throw new Error('away');
      return reads;
    },
  );
  await expect(read()).rejects.toThrow('away');
  expect(await read()).toBe(2);
});
