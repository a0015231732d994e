import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEarlierStore, type EarlierTask } from '../../../../test/fixtures/earlier-store.ts';
import { createStore, type TemporaryStore } from '../../../../test/fixtures/temporary-store.ts';
import { takeTask } from '../../focus/take-task.ts';
import { createScope, type Scope } from '../../scope.ts';
import { readLines } from '../../../system/read-lines.ts';
import { importStore } from '../../store/import-store.ts';
import { exportTo } from '../../store/store-files.ts';
import { requireTask } from '../../tasks/task.ts';
import { completeTask } from '../../tasks/write-task.ts';
import type { Database } from '../database.ts';
import { openSqlite, openSqliteReadOnly } from './open-sqlite.ts';

let store: TemporaryStore;
let path: string;
beforeEach(() => {
  store = createStore();
  path = join(store.folder, 'earlier.db');
});
afterEach(() => store.dispose());

const after = (ms: number): string => new Date(Date.parse(store.at()) + ms).toISOString();
const claim = (agent: string, ms: number): EarlierTask['claim'] => ({
  agent,
  at: after(-60_000),
  expires_at: after(ms),
});
const tasks = (): EarlierTask[] => [
  { id: 'task_held', status: 'in_progress', claim: claim('ada', 60_000) },
  { id: 'task_left', status: 'in_progress', claim: claim('ada', -1) },
  { id: 'task_free', status: 'pending', priority: 9 },
];
const NEW_COLUMNS = { claim_session: null, attempts: 0, retry_at: null };
const as = <T>(
  database: Database,
  [agent, session]: [string, string?],
  work: (scope: Scope) => Promise<T>,
): Promise<T> =>
  database.transaction((connection) => work(createScope(connection, agent, store.ports, session)));
const complete = (database: Database, agent: [string, string?], id: string): Promise<unknown> =>
  as(database, agent, (scope) => completeTask(scope, id, { outcome: 'done', summary: 's' }));

describe.each([1, 2] as const)('a store of schema %i with claims', (schema) => {
  beforeEach(() => createEarlierStore(path, schema, tasks()));

  it('keeps them with the first number, for their agent name', async () => {
    const database = openSqlite(path);
    for (const [id, number, owner] of [
      ['task_held', 1, 'ada'],
      ['task_left', 1, 'ada'],
      ['task_free', 0, null],
    ] as const)
      expect(await requireTask(database, id)).toMatchObject({
        ...NEW_COLUMNS,
        claim_number: number,
        claimed_by: owner,
        version: 1,
      });
    await expect(complete(database, ['grace', 's1'], 'task_held')).rejects.toMatchObject({
      code: 'E_CONFLICT',
      details: { owner: 'ada', claim_number: 1, claim_expires_at: after(60_000) },
    });
    await complete(database, ['ada', 's1'], 'task_held');
    expect(await database.check()).toEqual([]);
    database.close();
  });

  it('rejects the late write of a holder of before the migration, after another agent took the task', async () => {
    const database = openSqlite(path);
    const taken = await as(database, ['grace', 's1'], (scope) =>
      takeTask(scope, { projectId: 'app', leaseMs: 60_000 }),
    );
    expect(taken?.row).toMatchObject({ id: 'task_left', claim_number: 2, claim_session: 's1' });
    await expect(complete(database, ['ada'], 'task_left')).rejects.toMatchObject({
      details: { lost_claim_number: 1 },
    });
    database.close();
  });

  it('is backed up before it is migrated, with its own schema and its claims', () => {
    let backup = '';
    openSqlite(path, { onMigrated: (file) => (backup = file) }).close();
    expect(backup).toContain(`earlier.db.schema-${schema}.`);
    const copy = new DatabaseSync(backup, { readOnly: true });
    expect(copy.prepare('PRAGMA user_version').get()).toEqual({ user_version: schema });
    expect(copy.prepare("SELECT claimed_by FROM tasks WHERE id = 'task_held'").get()).toEqual({
      claimed_by: 'ada',
    });
    copy.close();
  });

  it('is read with the same values before the migration, and not changed by that', async () => {
    const before = readFileSync(path);
    const database = openSqliteReadOnly(path);
    expect(await requireTask(database, 'task_held')).toMatchObject({ ...NEW_COLUMNS, claim_number: 1 });
    database.close();
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(store.folder).filter((name) => name.endsWith('.bak'))).toEqual([]);
  });

  it('has the same content after the import of its export as after its migration', async () => {
    const migrated = join(store.folder, 'migrated.ndjson');
    const database = openSqlite(path);
    await exportTo(database, migrated);
    database.close();
    const earlier = join(store.folder, 'earlier.ndjson');
    writeFileSync(earlier, toEarlierExport(readFileSync(migrated, 'utf8'), schema));
    const imported = openSqlite(join(store.folder, 'imported.db'));
    await importStore(imported, readLines(earlier));
    await exportTo(imported, join(store.folder, 'imported.ndjson'));
    imported.close();
    expect(readFileSync(join(store.folder, 'imported.ndjson'), 'utf8')).toBe(readFileSync(migrated, 'utf8'));
  });
});

/** Removes what schema 3 added to the tasks. */
function toEarlierExport(text: string, schema: number): string {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return rows
    .map(({ claim_session: _session, claim_number: _number, attempts: _attempts, retry_at: _at, ...row }) =>
      JSON.stringify(row.type === 'store' ? { ...row, schema_version: schema } : row),
    )
    .map((line) => `${line}\n`)
    .join('');
}
