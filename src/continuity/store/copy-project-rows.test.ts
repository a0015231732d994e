import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createStore, type TemporaryStore } from '../../../test/fixtures/temporary-store.ts';
import type { Database } from '../database/database.ts';
import { openSqlite } from '../database/sqlite/open-sqlite.ts';
import { appendEvent } from '../events/event.ts';
import { findMemories } from '../memory/search/search-memories.ts';
import { setMemory } from '../memory/write-memory.ts';
import { applyPush } from '../push/apply-push.ts';
import { addDependency } from '../tasks/link-tasks.ts';
import { createTask } from '../tasks/write-task.ts';
import { copyProjectRows } from './copy-project-rows.ts';
import { copyStoreRows } from './copy-store-rows.ts';
import { pruneToProject } from './prune-to-project.ts';
import { PAGE_ROWS } from './export-store.ts';
import { exportTo } from './store-files.ts';

let store: TemporaryStore;
beforeEach(() => {
  store = createStore();
});
afterEach(() => store.dispose());

/** Tasks of two projects and of none, which depend on each other, with events, artifacts and memories of every scope. */
async function fill(): Promise<void> {
  const ids: string[] = [];
  for (const [index, projectId] of ['app', 'site', null].entries())
    await store.as(`agent-${index}`, async (scope) => {
      const task = { title: `t${index}`, description: '', projectId, priority: 0 };
      const { row } = await createTask(scope, task);
      ids.push(row.id);
      for (const [kind, id] of [
        ['global', ''],
        ['project', projectId ?? ''],
        ['task', row.id],
        ['agent', `agent-${index}`],
      ] as const)
        await setMemory(scope, {
          scope: kind,
          scope_id: id,
          key: `k${index}`,
          value: `words of ${kind} ${index}`,
          valueType: 'string',
          expiresAt: null,
        });
      await applyPush(scope, {
        taskId: row.id,
        event: { kind: 'progress', message: `m${index}` },
        memories: [],
        artifacts: [{ filePath: `${index}.txt` }],
      });
    });
  await store.as('agent-0', async (scope) => {
    for (const [from, to] of [
      [0, 2],
      [0, 1],
      [1, 2],
    ] as const)
      await addDependency(scope, ids[from] as string, ids[to] as string, 'blocks');
  });
}

async function contentOf(name: string, write: (copy: Database) => Promise<unknown>): Promise<string> {
  const copy = openSqlite(join(store.folder, `${name}.db`));
  try {
    await write(copy);
    const path = join(store.folder, `${name}.ndjson`);
    await exportTo(copy, path);
    expect(await copy.check()).toEqual([]);
    const words = { words: 'words', limit: 50, offset: 0 };
    return `${readFileSync(path, 'utf8')}${JSON.stringify(await findMemories(copy, words, store.at()))}`;
  } finally {
    copy.close();
  }
}

it.each(['app', 'site', ''])(
  'copies what pruning leaves of a whole copy, for the project "%s"',
  async (project) => {
    await fill();
    const reader = { project, agent: 'agent-1' };
    const copied = await contentOf('part', (copy) => copyProjectRows(store.database, copy, reader));
    const pruned = await contentOf('whole', async (copy) => {
      await copyStoreRows(store.database, copy);
      await pruneToProject(copy, reader);
    });
    expect(copied).toBe(pruned);
    for (const [index, name] of ['app', 'site', ''].entries())
      expect(copied.includes(`"m${index}"`), name).toBe(name === '' || name === project);
  },
);

it('copies any number of rows', async () => {
  const count = PAGE_ROWS * 2 + 1;
  await store.as('a', async (scope) => {
    for (let index = 0; index < count; index += 1)
      await appendEvent(scope, { kind: 'progress', projectId: 'app', taskId: null, message: `m${index}` });
  });
  const copied = await contentOf('part', (copy) =>
    copyProjectRows(store.database, copy, { project: 'app', agent: 'a' }),
  );
  expect(copied.match(/"type":"events"/gu)).toHaveLength(count);
});
