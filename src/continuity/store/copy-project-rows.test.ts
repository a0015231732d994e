import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createStore, type TemporaryStore } from '../../../test/fixtures/temporary-store.ts';
import type { Database } from '../database/database.ts';
import type { Reader } from '../database/queries/project-rows.ts';
import { openSqlite } from '../database/sqlite/open-sqlite.ts';
import { appendEvent } from '../events/event.ts';
import { findMemories } from '../memory/search/search-memories.ts';
import { setMemory } from '../memory/write-memory.ts';
import { applyPush } from '../push/apply-push.ts';
import type { Scope } from '../scope.ts';
import { addDependency } from '../tasks/link-tasks.ts';
import { createTask } from '../tasks/write-task.ts';
import { copyProjectRows } from './copy-project-rows.ts';
import { PAGE_ROWS } from './export-store.ts';
import { exportTo } from './store-files.ts';

let store: TemporaryStore;
beforeEach(() => {
  store = createStore();
});
afterEach(() => store.dispose());

/** Tasks of two projects and a task without a project, which depend on each other, with events, artifacts and memories of every scope. */
async function fillStore(): Promise<void> {
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

interface Line {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The rows of a store, as an export writes them. */
async function linesOf(database: Database, name: string): Promise<readonly Line[]> {
  const path = join(store.folder, `${name}.ndjson`);
  await exportTo(database, path);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.slice(1, -1).map((line) => JSON.parse(line) as Line);
}

async function copyFor(
  reader: Reader,
): Promise<{ readonly lines: readonly Line[]; readonly found: readonly unknown[] }> {
  const copy = openSqlite(join(store.folder, 'part.db'));
  try {
    await copyProjectRows(store.database, copy, reader);
    expect(await copy.check()).toEqual([]);
    const words = { words: 'words', limit: 50, offset: 0 };
    const found = (await findMemories(copy, words, store.at())).map(({ value }) => value);
    return { lines: await linesOf(copy, 'part'), found };
  } finally {
    copy.close();
  }
}

/** The lines that a reader may see: of its project, without a project, and its own memories. The rules are written again here, without SQL. */
function visibleTo({ project, agent }: Reader, all: readonly Line[]): readonly Line[] {
  const isOurs = (name: unknown): boolean => name === null || name === undefined || name === project;
  const tasks = new Set(
    all.flatMap((line) => (line.type === 'tasks' && isOurs(line.project_id) ? [line.id] : [])),
  );
  const scopes: Readonly<Record<string, (id: unknown) => boolean>> = {
    global: () => true,
    project: (id) => id === project,
    task: (id) => tasks.has(id),
    agent: (id) => id === agent,
  };
  const rules: Readonly<Record<string, (line: Line) => boolean>> = {
    tasks: ({ id }) => tasks.has(id),
    task_counts: ({ project_id }) => project_id === '' || project_id === project,
    dependencies: ({ task_id, depends_on }) => tasks.has(task_id) && tasks.has(depends_on),
    events: ({ project_id }) => isOurs(project_id),
    memories: ({ scope, scope_id }) => scopes[scope as string]?.(scope_id) === true,
    artifacts: ({ task_id }) => tasks.has(task_id),
  };
  return all.filter((line) => rules[line.type]?.(line) === true);
}

it.each(['app', 'site', ''])('copies what an agent of the project "%s" may see', async (project) => {
  await fillStore();
  const reader = { project, agent: 'agent-1' };
  const all = await linesOf(store.database, 'all');
  const visible = visibleTo(reader, all);
  const { lines, found } = await copyFor(reader);
  expect(lines).toEqual(visible);
  expect(visible.length).toBeLessThan(all.length);
  const words = visible.flatMap(({ type, value }) => (type === 'memories' ? [value] : []));
  expect(new Set(found)).toEqual(new Set(words));
});

it('copies the newest events, and what was asked and reported before many calls of tools', async () => {
  const record = (scope: Scope, kind: string, message: string): Promise<string> =>
    appendEvent(scope, { kind, projectId: 'app', taskId: null, message });
  await store.as('a', async (scope) => {
    await record(scope, 'tool_success', 'first call');
    await record(scope, 'user_prompt', 'what the person asked');
    await record(scope, 'agent_message', 'what the agent answered');
    await record(scope, 'progress', 'what was reported');
    for (let index = 0; index < 1200; index += 1) await record(scope, 'tool_success', `call ${index}`);
  });
  const { lines } = await copyFor({ project: 'app', agent: 'a' });
  const messages = lines.flatMap(({ type, message }) => (type === 'events' ? [message] : []));
  expect(messages.slice(0, 4)).toEqual([
    'what the person asked',
    'what the agent answered',
    'what was reported',
    'call 200',
  ]);
  expect(messages).toHaveLength(1003);
});

it('copies any number of tasks', async () => {
  const count = PAGE_ROWS + 1;
  await store.as('a', async (scope) => {
    for (let index = 0; index < count; index += 1)
      await createTask(scope, { title: `t${index}`, description: '', projectId: 'app', priority: 0 });
  });
  const { lines } = await copyFor({ project: 'app', agent: 'a' });
  expect(lines.filter(({ type }) => type === 'tasks')).toHaveLength(count);
});
