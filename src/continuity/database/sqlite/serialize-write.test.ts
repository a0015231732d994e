import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serializeWrite } from './serialize-write.ts';
import { openSqlite } from './open-sqlite.ts';

test('concurrent writes of one process to one file run one after the other without a deadlock', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'deed-writer-'));
  try {
    const path = join(folder, 'deed.db');
    const order: string[] = [];
    const write = async (name: string): Promise<void> => {
      const database = openSqlite(path, { busyTimeoutMs: 200 });
      await database.transaction(async () => {
        order.push(`${name} started`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        order.push(`${name} ended`);
      });
      database.close();
    };
    await Promise.all(['first', 'second', 'third'].map(write));
    expect(order).toEqual(
      ['first', 'second', 'third'].flatMap((name) => [`${name} started`, `${name} ended`]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a failed write does not block the next one', async () => {
  const failed = serializeWrite('/f', () => Promise.reject(new Error('no')));
  const next = serializeWrite('/f', () => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
