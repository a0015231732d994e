import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderCompiled } from '../../../scripts/gen-queries.ts';
import { ended, LONG, startScript } from '../../../test/fixtures/start-node.ts';
import { isOnPostgres } from '../../../test/fixtures/store-environment.ts';
import { createStore, type TemporaryStore } from '../../../test/fixtures/temporary-store.ts';
import { openSqlite, openSqliteReadOnly, readSchemaVersion } from '../database/sqlite/open-sqlite.ts';
import { readEvents } from '../events/event.ts';
import { findMemories } from '../memory/search/search-memories.ts';
import { setMemory } from '../memory/write-memory.ts';
import { applyPush } from '../push/apply-push.ts';
import { addDependency } from '../tasks/link-tasks.ts';
import { createTask } from '../tasks/write-task.ts';
import { readAllLines } from '../../system/read-lines.ts';
import { importStore } from './import-store.ts';
import { readExport } from './merge/read-export.ts';
import { backupTo, exportTo } from './store-files.ts';

let store: TemporaryStore;
beforeEach(() => {
  store = createStore();
});
afterEach(() => store.dispose());

const at = (name: string): string => join(store.folder, name);
const push = (message: string): Promise<unknown> =>
  store.as('a', (scope) =>
    applyPush(scope, { event: { kind: 'progress', message }, memories: [], artifacts: [] }),
  );
const messages = async (path: string): Promise<string[]> => {
  const database = openSqliteReadOnly(path);
  try {
    return (await readEvents(database, { ascending: true, includeArchived: true, limit: 100 })).map(
      ({ message }) => message,
    );
  } finally {
    database.close();
  }
};

async function fill(): Promise<void> {
  await store.as('a', async (scope) => {
    const one = await createTask(scope, {
      title: 'Ünï "code"\n',
      description: '\u2028 🦆',
      projectId: 'app',
      priority: 3,
    });
    const two = await createTask(scope, { title: 'two', description: '', projectId: null, priority: 0 });
    await addDependency(scope, two.row.id, one.row.id, 'blocks');
    for (const value of ['first words', 'second words'])
      await setMemory(scope, {
        scope: 'global',
        scope_id: '',
        key: 'k',
        value,
        valueType: 'string',
        expiresAt: null,
      });
    await applyPush(scope, {
      taskId: one.row.id,
      event: { kind: 'progress', message: 'half', metadata: { deep: [1, { a: null }] } },
      memories: [],
      artifacts: [{ filePath: 'x.txt' }],
    });
  });
}

describe('an export', () => {
  it('is byte-identical after an import', async () => {
    await fill();
    await exportTo(store.database, at('one.ndjson'));
    const copy = openSqlite(at('copy.db'));
    await importStore(copy, readAllLines(at('one.ndjson')));
    await exportTo(copy, at('two.ndjson'));
    expect(readFileSync(at('two.ndjson'), 'utf8')).toBe(readFileSync(at('one.ndjson'), 'utf8'));
    expect(await findMemories(copy, { words: 'second', limit: 5, offset: 0 }, store.at())).toHaveLength(1);
    expect(await copy.check()).toEqual([]);
    copy.close();
    expect(statSync(at('one.ndjson')).mode & 0o777).toBe(0o600);
  });

  it('is imported completely or not at all, and with its ids only into an empty store', async () => {
    await fill();
    await exportTo(store.database, at('one.ndjson'));
    await expect(importStore(store.database, readAllLines(at('one.ndjson')))).rejects.toMatchObject({
      code: 'E_CONFLICT',
    });
    const lines = readFileSync(at('one.ndjson'), 'utf8').split('\n');
    for (const [index, line] of [
      [0, '{"type":"store","format":9}'],
      [2, '{"type":"tasks"}'],
      [2, 'nonsense'],
      [3, lines[1] ?? ''],
      [2, (lines[2] ?? '').replace('"pending"', '"dreaming"').replace('"blocked"', '"dreaming"')],
    ] as const) {
      writeFileSync(at('bad.ndjson'), `${lines.with(index, line).join('\n')}\n`);
      const copy = openSqlite(at(`copy-${index}-${line.length}.db`));
      await expect(importStore(copy, readAllLines(at('bad.ndjson')))).rejects.toMatchObject({
        code: 'E_VALIDATION',
      });
      expect(await readEvents(copy, { ascending: true, includeArchived: true, limit: 1 })).toEqual([]);
      copy.close();
    }
  });
});

describe('an export that was cut off', () => {
  const importCut = async (text: string): Promise<unknown> => {
    writeFileSync(at('cut.ndjson'), text);
    const copy = openSqlite(at(`cut-${text.length}.db`));
    try {
      return await importStore(copy, readAllLines(at('cut.ndjson')));
    } finally {
      expect(await readEvents(copy, { ascending: true, includeArchived: true, limit: 1 })).toEqual([]);
      copy.close();
    }
  };

  it('is not imported, wherever it was cut', async () => {
    await fill();
    await exportTo(store.database, at('one.ndjson'));
    const text = readFileSync(at('one.ndjson'), 'utf8');
    const ends = [...text.matchAll(/\n/gu)].map(({ index }) => index + 1).slice(0, -1);
    for (const end of [0, 10, ...ends, ...ends.map((at) => at - 10)])
      await expect(importCut(text.slice(0, end)), `${end} characters`).rejects.toMatchObject({
        code: 'E_VALIDATION',
      });
  });

  it('is noticed by an unfinished line if it has no end, as those of 0.1.0', async () => {
    await fill();
    await exportTo(store.database, at('one.ndjson'));
    const lines = readFileSync(at('one.ndjson'), 'utf8').split('\n');
    const text = lines.slice(0, -2).join('\n').replace(',"has_end":true', '');
    await expect(importCut(text.slice(0, -5))).rejects.toMatchObject({ code: 'E_VALIDATION' });
    const copy = openSqlite(at('whole.db'));
    writeFileSync(at('whole.ndjson'), text);
    expect(await importStore(copy, readAllLines(at('whole.ndjson')))).toBe(lines.length - 3);
    copy.close();
  });

  it('does not lose rows to a merge', async () => {
    await fill();
    await exportTo(store.database, at('one.ndjson'));
    const text = readFileSync(at('one.ndjson'), 'utf8');
    writeFileSync(at('cut.ndjson'), text.slice(0, text.lastIndexOf('{"type":"end"')));
    await expect(
      readExport(readAllLines(at('cut.ndjson')), store.database.schemaVersion, () => undefined),
    ).rejects.toMatchObject({
      code: 'E_VALIDATION',
      message: expect.stringContaining('was cut off'),
    });
  });
});

describe.skipIf(isOnPostgres())('a backup', () => {
  it('is a complete private store, and leaves no file if it fails', async () => {
    await fill();
    await backupTo(store.database, at('backup.db'));
    expect(await messages(at('backup.db'))).toEqual(await messages(store.path));
    expect(statSync(at('backup.db')).mode & 0o777).toBe(0o600);
    await expect(backupTo(store.database, at('nowhere/backup.db'))).rejects.toMatchObject({ code: 'E_IO' });
  });

  it('fails with a hint if the database cannot be copied to a file', async () => {
    await expect(backupTo({ ...store.database, copyTo: undefined }, at('backup.db'))).rejects.toMatchObject({
      code: 'E_CONFIG',
      hint: expect.stringContaining('store export'),
    });
    expect(existsSync(at('backup.db'))).toBe(false);
  });
});

describe.skipIf(isOnPostgres())('opening', () => {
  it('creates private files', async () => {
    await push('x');
    for (const path of [store.path, `${store.path}-wal`, `${store.path}-shm`])
      expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('for reading creates nothing, and a store that does not exist reads as empty', async () => {
    expect(await messages(at('none.db'))).toEqual([]);
    expect(existsSync(at('none.db'))).toBe(false);
    expect(readSchemaVersion(at('none.db'))).toBeUndefined();
  });

  it('a second time changes nothing', async () => {
    await push('x');
    for (let index = 0; index < 3; index += 1) openSqlite(store.path).close();
    expect(await messages(store.path)).toEqual(['x']);
  });

  it('by several processes at the same time creates one valid store', async () => {
    const stores = LONG ? '100' : '15';
    const openers = [1, 2, 3, 4].map(() => startScript('open-stores', [store.folder, stores]));
    expect(await Promise.all(openers.map(ended))).toEqual([0, 0, 0, 0]);
  });

  it('fails for a store of a newer version and for a database of another program, and changes neither', () => {
    const newer = new DatabaseSync(store.path);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    for (const open of [openSqlite, openSqliteReadOnly])
      expect(() => open(store.path)).toThrow(/newer version/u);
    const foreign = new DatabaseSync(at('foreign.db'));
    foreign.exec('CREATE TABLE t (x)');
    foreign.close();
    const before = readFileSync(at('foreign.db'));
    for (const open of [openSqlite, openSqliteReadOnly])
      expect(() => open(at('foreign.db'))).toThrow(/is not a deed database/u);
    expect(readFileSync(at('foreign.db')).equals(before)).toBe(true);
  });

  it('fails for a damaged file', async () => {
    for (let index = 0; index < 3; index += 1) await push('x'.repeat(50_000));
    await backupTo(store.database, at('damaged.db'));
    truncateSync(at('damaged.db'), 40_000);
    const read = async (): Promise<unknown> => {
      const database = openSqliteReadOnly(at('damaged.db'));
      return [
        await database.check(),
        await readEvents(database, { ascending: true, includeArchived: true, limit: 1000 }),
      ];
    };
    await expect(read()).rejects.toMatchObject({ code: 'E_DAMAGED' });
    writeFileSync(at('text.db'), 'this is not a database'.repeat(50));
    expect(() => openSqlite(at('text.db'))).toThrow(/is not a database/u);
  });

  it('waits for a lock until the timeout, then fails with E_TIMEOUT', async () => {
    const other = new DatabaseSync(store.path);
    other.exec('BEGIN IMMEDIATE');
    const waiting = openSqlite(store.path, { busyTimeoutMs: 200 });
    const before = performance.now();
    await expect(waiting.transaction(() => Promise.resolve())).rejects.toMatchObject({
      code: 'E_TIMEOUT',
      details: { reason: 'locked' },
    });
    expect(performance.now() - before).toBeGreaterThan(150);
    other.exec('ROLLBACK');
    await waiting.transaction(() => Promise.resolve());
    other.close();
    waiting.close();
  });
});

describe('the compiled queries', () => {
  it.each(['sqlite', 'postgres'] as const)('of %s match the queries', (name) => {
    const path = new URL(`../database/${name}/compiled.ts`, import.meta.url);
    expect(readFileSync(path, 'utf8')).toBe(renderCompiled(name));
  });
});
