import { execFile } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createStore, type TemporaryStore } from '../../../../test/fixtures/temporary-store.ts';
import { createTask } from '../../tasks/write-task.ts';
import { checkScope } from '../../memory/memory.ts';
import { readHistory } from '../../memory/read-memories.ts';
import { findMemories } from '../../memory/search/search-memories.ts';
import { setMemory } from '../../memory/write-memory.ts';
import { createScope } from '../../scope.ts';
import { applyMigrations, migrateStore } from './migrate-sqlite.ts';
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
  expect(basename(backup)).toMatch(/^deed\.db\.schema-\d+\.\d{8}T\d{9}Z\.bak$/u);
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

test('a store of the first schema keeps its memories, which are found by stems and know their successors', async () => {
  const path = join(store.folder, 'first.db');
  const first = new DatabaseSync(path);
  first.exec('PRAGMA journal_mode = WAL');
  applyMigrations(first, 0, MIGRATIONS.slice(0, 1));
  const insert = first.prepare(
    `INSERT INTO memories (id, scope, scope_id, key, value, value_type, kind, pinned, source_agent, event_id, created_at, updated_at, superseded_at)
     VALUES (?, 'global', '', ?, ?, 'string', 'fact', 0, 'a', 1, '2026-01-01', ?, ?)`,
  );
  insert.run(1, 'deploy', 'by hand', '2026-01-01', '2026-01-02');
  insert.run(2, 'deploy', 'the pipeline deploys it', '2026-01-02', null);
  insert.run(3, 'gone', 'deleted', '2026-01-01', '2026-01-03');
  insert.run(9, 'last', 'deleted row', '2026-01-01', null);
  first.exec(
    'INSERT INTO memory_search (rowid, key, value) SELECT id, key, value FROM memories WHERE superseded_at IS NULL; DELETE FROM memories WHERE id = 9',
  );
  first.close();
  const database = openSqlite(path);
  const [found] = await findMemories(
    database,
    { words: 'how are we deploying?', limit: 5, offset: 0 },
    '2026-02-01',
  );
  expect(found).toMatchObject({ id: 2, confirmed_at: '2026-01-02', superseded_by: null });
  const history = await readHistory(database, { scope: 'global', scope_id: '', key: 'deploy' }, 5);
  expect(history.map(({ id, superseded_by }) => [id, superseded_by])).toEqual([
    [2, null],
    [1, 2],
  ]);
  expect(
    (await readHistory(database, { scope: 'global', scope_id: '', key: 'gone' }, 5))[0]?.superseded_by,
  ).toBeNull();
  const { id } = await database.transaction((db) =>
    setMemory(createScope(db, 'a', store.ports), {
      ...checkScope('global', undefined),
      key: 'new',
      value: 'x',
      valueType: 'string',
      kind: 'decision',
      expiresAt: null,
    }),
  );
  expect(id).toBe(10);
  expect(await database.check()).toEqual([]);
  database.close();
});
