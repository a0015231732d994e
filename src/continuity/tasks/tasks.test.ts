import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore, type TemporaryStore } from '../../../test/fixtures/temporary-store.ts';
import { readEvents } from '../events/event.ts';
import { claimTask, heartbeat } from './claim-task.ts';
import type { Scope } from '../scope.ts';
import { addDependency, removeDependency } from './link-tasks.ts';
import { readReady, readTaskCounts, readTasks } from './read-tasks.ts';
import { requireTask, showTask, type TaskRow } from './task.ts';
import { completeTask, createTask, deleteTask, setPriority, setStatus } from './write-task.ts';

let store: TemporaryStore;
beforeEach(() => {
  store = createStore();
});
afterEach(() => store.dispose());

const add = (title: string, priority = 0, projectId: string | null = null): Promise<TaskRow> =>
  store.as(
    'a',
    async (scope) => (await createTask(scope, { title, description: '', projectId, priority })).row,
  );
const begin = (agent: string, id: string, leaseMs?: number) =>
  store.as(agent, async (scope) => claimTask(scope, await requireTask(scope.db, id), { leaseMs }));
const get = (id: string): Promise<TaskRow> => requireTask(store.database, id);
const ready = async (projectId?: string | null): Promise<string[]> =>
  (await readReady(store.database, { projectId, limit: 50 }, store.at())).map(({ title }) => title);
const kinds = async (): Promise<string[]> =>
  (await readEvents(store.database, { ascending: true, includeArchived: true, limit: 1000 })).map(
    ({ kind, metadata }) =>
      kind === 'task_status' ? `${metadata.from as string}→${metadata.to as string}` : kind,
  );

describe('the id of a new task', () => {
  const create = (title: string, tails: string[]) =>
    store.as('a', async (scope) => {
      const ports = { ...scope.ports, createTail: () => tails.shift() ?? 'zzzzz' };
      const task = { title, description: '', projectId: null, priority: 0 };
      return (await createTask({ ...scope, ports }, task)).row;
    });

  it('is short, and sorts by time', async () => {
    const first = await add('one');
    const second = await add('two');
    store.wait(1);
    const third = await add('three');
    expect(first.id).toMatch(/^task_[0-9a-z]{13}$/u);
    expect([third.id, first.id, second.id].toSorted()).toEqual([first.id, second.id, third.id]);
  });

  it('is created again if the store contains it', async () => {
    const first = await create('one', ['k3m9p']);
    const second = await create('two', ['k3m9p', 'k3m9p', 'k3m9q']);
    expect([first.id.slice(-5), second.id.slice(-5)]).toEqual(['k3m9p', 'k3m9q']);
    await expect(create('three', Array<string>(1000).fill('k3m9p'))).rejects.toThrow('no free id');
  });
});

describe('a claim', () => {
  it('is granted to the first agent, and the error for the second names the owner', async () => {
    const { id } = await add('one');
    await begin('a', id);
    await expect(begin('b', id)).rejects.toMatchObject({
      code: 'E_CONFLICT',
      details: { reason: 'claimed', owner: 'a', claim_expires_at: '2026-01-15T12:30:00.000Z' },
    });
    expect((await get(id)).claimed_by).toBe('a');
  });

  it('that has expired is released immediately, and reads do not record that', async () => {
    const { id } = await add('one');
    await begin('a', id, 1000);
    expect(await ready()).toEqual([]);
    store.wait(1000);
    expect(await ready()).toEqual(['one']);
    expect((await get(id)).claimed_by).toBe('a');
    await begin('b', id);
    expect((await get(id)).claimed_by).toBe('b');
    expect(await kinds()).toEqual(['task_created', 'pending→in_progress', 'task_reclaimed']);
  });

  it('is renewed only by a heartbeat of its owner', async () => {
    const { id } = await add('one');
    await begin('a', id, 10_000);
    store.wait(9000);
    const row = await store.as('a', (scope) => heartbeat(scope, id, 10_000));
    expect(row.claim_expires_at).toBe('2026-01-15T12:00:19.000Z');
    await expect(store.as('b', (scope) => heartbeat(scope, id, 10_000))).rejects.toMatchObject({
      code: 'E_CONFLICT',
    });
    store.wait(10_000);
    await expect(store.as('a', (scope) => heartbeat(scope, id, 10_000))).rejects.toMatchObject({
      details: { reason: 'not-claimed' },
    });
  });

  it('prevents changes by other agents while it is active', async () => {
    const { id } = await add('one');
    await begin('a', id);
    for (const change of [
      (scope: Scope) => setStatus(scope, id, 'pending', null),
      (scope: Scope) => completeTask(scope, id, { outcome: 'done', summary: 'x' }),
      (scope: Scope) => deleteTask(scope, id),
    ]) {
      await expect(store.as<unknown>('b', change)).rejects.toMatchObject({
        code: 'E_CONFLICT',
        details: { owner: 'a' },
      });
    }
    expect((await get(id)).status).toBe('in_progress');
  });

  it('is released when the task is completed', async () => {
    const { id } = await add('one');
    await begin('a', id);
    const { row } = await store.as('a', (scope) =>
      completeTask(scope, id, { outcome: 'done', summary: 'ok' }),
    );
    expect([row.status, row.claimed_by]).toEqual(['completed', null]);
    await expect(begin('b', id)).rejects.toMatchObject({ details: { reason: 'completed' } });
  });
});

describe('a dependency', () => {
  it('removes a task from the queue until its blockers are completed, and each change is logged', async () => {
    const first = await add('first');
    const second = await add('second');
    await store.as('a', (scope) => addDependency(scope, second.id, first.id, 'blocks'));
    expect(await ready()).toEqual(['first']);
    await expect(begin('a', second.id)).rejects.toMatchObject({
      details: { reason: 'dependencies', blockers: [{ id: first.id, status: 'pending' }] },
    });
    await store.as('a', (scope) => completeTask(scope, first.id, { outcome: 'done', summary: 'ok' }));
    expect(await ready()).toEqual(['second']);
    await store.as('a', (scope) => setStatus(scope, first.id, 'pending', null));
    expect(await ready()).toEqual(['first']);
    await store.as('a', (scope) => removeDependency(scope, second.id, first.id));
    expect((await ready()).sort()).toEqual(['first', 'second']);
    expect(await kinds()).toEqual([
      'task_created',
      'task_created',
      'task_dependency_added',
      'pending→blocked',
      'pending→completed',
      'blocked→pending',
      'task_closed',
      'completed→pending',
      'pending→blocked',
      'task_dependency_removed',
      'blocked→pending',
    ]);
  });

  it('must not form a cycle of any length', async () => {
    const tasks: TaskRow[] = [];
    for (let index = 0; index < 40; index += 1) tasks.push(await add(`t${index}`));
    for (const [index, task] of tasks.entries()) {
      const next = tasks[index + 1];
      if (next) await store.as('a', (scope) => addDependency(scope, task.id, next.id, 'blocks'));
    }
    const [first, last] = [tasks[0], tasks.at(-1)];
    await expect(
      store.as('a', (scope) => addDependency(scope, last?.id ?? '', first?.id ?? '', 'blocks')),
    ).rejects.toMatchObject({ details: { reason: 'cycle' } });
    await expect(
      store.as('a', (scope) => addDependency(scope, first?.id ?? '', first?.id ?? '', 'blocks')),
    ).rejects.toMatchObject({ details: { reason: 'cycle' } });
  });

  it('that only links tasks does not block them and may form a cycle', async () => {
    const first = await add('first');
    const second = await add('second');
    await store.as('a', (scope) => addDependency(scope, first.id, second.id, 'related'));
    await store.as('a', (scope) => addDependency(scope, second.id, first.id, 'discovered-from'));
    expect(await ready()).toHaveLength(2);
    expect((await showTask(store.database, await get(second.id), store.at())).related).toEqual([
      { id: first.id, kind: 'discovered-from' },
    ]);
  });

  it('cannot be added to a completed task, and adding it twice changes nothing', async () => {
    const first = await add('first');
    const second = await add('second');
    await store.as('a', (scope) => addDependency(scope, second.id, first.id, 'blocks'));
    const again = await store.as('a', (scope) => addDependency(scope, second.id, first.id, 'blocks'));
    expect(again.changed).toBe(false);
    expect((await get(second.id)).open_dependencies).toBe(1);
    await store.as('a', (scope) => completeTask(scope, first.id, { outcome: 'done', summary: 'ok' }));
    await expect(
      store.as('a', (scope) => addDependency(scope, first.id, second.id, 'blocks')),
    ).rejects.toMatchObject({ details: { reason: 'completed' } });
  });

  it('is deleted with its task, which unblocks its dependents', async () => {
    const first = await add('first');
    const second = await add('second');
    await store.as('a', (scope) => addDependency(scope, second.id, first.id, 'blocks'));
    await store.as('a', (scope) => deleteTask(scope, first.id));
    expect(await ready()).toEqual(['second']);
    expect(await store.database.check()).toEqual([]);
  });
});

describe('the queue', () => {
  it('is ordered by priority, then age, then id, also across pages', async () => {
    for (const [title, priority] of [
      ['c', 0],
      ['a', 5],
      ['d', 0],
      ['b', 1],
    ] as const)
      await add(title, priority);
    expect((await ready()).slice(0, 2)).toEqual(['a', 'b']);
    const all = await readTasks(store.database, { limit: 10 });
    const pages = [];
    let after: TaskRow | undefined;
    for (;;) {
      const [row] = await readTasks(store.database, { limit: 1, after });
      if (!row) break;
      pages.push(row.id);
      after = row;
    }
    expect(pages).toEqual(all.map(({ id }) => id));
  });

  it('separates projects and counts tasks by status', async () => {
    await add('mine', 0, 'app');
    await add('other', 0, 'web');
    const none = await add('none');
    expect([await ready('app'), await ready('web'), await ready(null)]).toEqual([
      ['mine'],
      ['other'],
      ['none'],
    ]);
    await store.as('a', (scope) => setStatus(scope, none.id, 'blocked', 'waiting for a key'));
    expect(await readTaskCounts(store.database)).toEqual({
      pending: 2,
      in_progress: 0,
      completed: 0,
      blocked: 1,
    });
    expect(await readTaskCounts(store.database, 'app')).toEqual({
      pending: 1,
      in_progress: 0,
      completed: 0,
      blocked: 0,
    });
  });

  it('moves a task when its priority changes', async () => {
    await add('one', 1);
    const two = await add('two', 0);
    await store.as('a', (scope) => setPriority(scope, two.id, 9));
    expect(await ready()).toEqual(['two', 'one']);
  });
});
