import { execFile } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createStore, type TemporaryStore } from '../../../../test/fixtures/temporary-store.ts';
import { createTask } from '../../tasks/write-task.ts';
import { migrateStore } from './migrate-sqlite.ts';
import { MIGRATIONS } from './migrations.ts';
import { openSqlite } from './open-sqlite.ts';

const NEXT = [...MIGRATIONS, ['ALTER TABLE tasks ADD COLUMN colour TEXT']];
let store: TemporaryStore;
beforeEach(async () => {
  store = createStore();
  await store.as('a', (scope) =>
    createTask(scope, { title: 'Kept', description: '', projectId: null, priority: 0 }),
  );
});
afterEach(() => rmSync(store.folder, { recursive: true }));

const backups = (): string[] => readdirSync(store.folder).filter((name) => name.endsWith('.bak'));
/** Reads a store without any code of deed. */
function readStore(path = store.path): unknown {
  const database = new DatabaseSync(path);
  try {
    const value = (sql: string): unknown => Object.values(database.prepare(sql).get() ?? {})[0];
    return {
      version: value('PRAGMA user_version'),
      owner: value('PRAGMA application_id'),
      title: value('SELECT title FROM tasks'),
      coloured: value("SELECT count(*) FROM pragma_table_info('tasks') WHERE name = 'colour'"),
      sound: value('PRAGMA integrity_check'),
      journal: value('PRAGMA journal_mode'),
    };
  } finally {
    database.close();
  }
}
const BEFORE = {
  version: MIGRATIONS.length,
  owner: 0x64656564,
  title: 'Kept',
  coloured: 0,
  sound: 'ok',
  journal: 'wal',
};
const AFTER = { ...BEFORE, version: NEXT.length, coloured: 1 };

test('a private backup is written next to the store, and then the store is migrated', () => {
  store.database.close();
  const backup = migrateStore(store.path, { waitMs: 1000, steps: NEXT }) ?? '';
  expect([readStore(), readStore(backup)]).toEqual([AFTER, BEFORE]);
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  expect(basename(backup)).toMatch(/^deed\.db\.schema-1\.\d{8}T\d{9}Z\.bak$/u);
  expect(() => openSqlite(store.path)).toThrow('newer version');
  expect(openSqlite(backup).schemaVersion).toBe(MIGRATIONS.length);
});

test('a second migration changes nothing', () => {
  store.database.close();
  migrateStore(store.path, { waitMs: 1000, steps: NEXT });
  expect(migrateStore(store.path, { waitMs: 1000, steps: NEXT })).toBeUndefined();
  expect([readStore(), backups().length]).toEqual([AFTER, 1]);
});

test('a store that another connection has open is not migrated, and no backup is left', () => {
  const migrate = (): unknown => migrateStore(store.path, { waitMs: 100, steps: NEXT });
  expect(migrate).toThrow(
    expect.objectContaining({ code: 'E_CONFLICT', details: { path: store.path, reason: 'in-use' } }),
  );
  expect(backups()).toEqual([]);
  store.database.close();
  expect(readStore()).toEqual(BEFORE);
  migrate();
  expect(readStore()).toEqual(AFTER);
});

test('a failed step leaves the store unchanged and no backup', () => {
  store.database.close();
  const broken = [...NEXT, ['CREATE TABLE extra (id TEXT)', 'ALTER TABLE nothing ADD COLUMN x TEXT']];
  expect(() => migrateStore(store.path, { waitMs: 1000, steps: broken })).toThrow('nothing');
  expect([readStore(), backups()]).toEqual([BEFORE, []]);
});

test('one of several processes migrates the store, and all of them succeed', async () => {
  store.database.close();
  const script = `
    const { migrateStore } = await import(${JSON.stringify(join(import.meta.dirname, 'migrate-sqlite.ts'))});
    const backup = migrateStore(process.argv[1], { waitMs: 60_000, steps: JSON.parse(process.argv[2]) });
    console.log(backup === undefined ? 'already migrated' : 'migrated');`;
  const argv = ['--input-type=module', '-e', script, store.path, JSON.stringify(NEXT)];
  const runs = await Promise.all(
    Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, argv)),
  );
  expect(runs.map(({ stdout }) => stdout.trim()).sort()).toEqual([
    ...Array.from({ length: 3 }, () => 'already migrated'),
    'migrated',
  ]);
  expect([readStore(), backups().length]).toEqual([AFTER, 1]);
});
