import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serializeWrite } from './serialize-write.ts';
import { openSqlite } from './open-sqlite.ts';

test('connections of one process that write to one file at once wait for each other without stopping it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'deed-writer-'));
  try {
    const path = join(folder, 'deed.db');
    const order: string[] = [];
    const write = async (name: string): Promise<void> => {
      const database = openSqlite(path, { busyTimeoutMs: 200 });
      await database.transaction(async () => {
        order.push(`${name} began`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        order.push(`${name} ended`);
      });
      database.close();
    };
    await Promise.all(['first', 'second', 'third'].map(write));
    expect(order).toEqual(['first', 'second', 'third'].flatMap((name) => [`${name} began`, `${name} ended`]));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a write that failed does not hold up the next', async () => {
  const failed = serializeWrite('/f', () => Promise.reject(new Error('no')));
  const next = serializeWrite('/f', () => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
