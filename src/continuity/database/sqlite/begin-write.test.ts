import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqlite } from './open-sqlite.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-begin-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a write to a store whose file was replaced is refused', async () => {
  const path = join(folder, 'deed.db');
  const database = openSqlite(path);
  await database.transaction(async () => undefined);
  copyFileSync(path, join(folder, 'copy.db'));
  renameSync(join(folder, 'copy.db'), path);
  await expect(database.transaction(async () => undefined)).rejects.toMatchObject({
    code: 'E_CONFLICT',
    details: { reason: 'replaced' },
    unchanged: true,
  });
  database.close();
});
