import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { applyMigrations } from './migrate-sqlite.ts';
import { MIGRATIONS } from './migrations.ts';
import { openSqliteReadOnly } from './open-sqlite.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-copy-'));
  path = join(folder, 'deed.db');
  const connection = new DatabaseSync(path);
  applyMigrations(connection, 0, MIGRATIONS.slice(0, 1));
  connection.close();
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test('a store with an older schema is read from a copy that leaves no file', () => {
  vi.stubEnv('TMPDIR', folder);
  const database = openSqliteReadOnly(path);
  database.close();
  expect(readdirSync(folder)).toEqual(['deed.db']);
});

test('a copy that cannot be written is reported with its folder and how to fix it', () => {
  const blocked = join(folder, 'file');
  writeFileSync(blocked, '');
  vi.stubEnv('TMPDIR', blocked);
  expect(() => openSqliteReadOnly(path)).toThrow(
    expect.objectContaining({
      code: 'E_IO',
      message: expect.stringContaining(`cannot be written to ${blocked}`) as string,
      hint: expect.stringContaining('deed store upgrade') as string,
    }) as Error,
  );
});
