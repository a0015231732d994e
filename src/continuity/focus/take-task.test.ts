import { afterEach, beforeEach, expect, it } from 'vitest';
import { createStore, type TemporaryStore } from '../../../test/fixtures/temporary-store.ts';
import { claimTask } from '../tasks/claim-task.ts';
import { readReady } from '../tasks/read-tasks.ts';
import { requireTask } from '../tasks/task.ts';
import { createTask } from '../tasks/write-task.ts';
import { resumeWork } from './resume-work.ts';
import { takeTask } from './take-task.ts';

let store: TemporaryStore;
beforeEach(() => {
  store = createStore();
});
afterEach(() => store.dispose());

const LEASE_MS = 60_000;
const create = (title: string, projectId: string | null = null, priority = 0): Promise<string> =>
  store.as('a', async (scope) => {
    store.wait(1);
    return (await createTask(scope, { title, description: '', projectId, priority })).row.id;
  });
const abandon = async (id: string): Promise<void> => {
  await store.as('ada', async (scope) =>
    claimTask(scope, await requireTask(scope.db, id), { leaseMs: LEASE_MS }),
  );
  store.wait(LEASE_MS);
};
const take = (agent: string, projectId?: string): Promise<string | null> =>
  store.as(
    agent,
    async (scope) => (await takeTask(scope, { projectId, leaseMs: undefined }))?.row.id ?? null,
  );
const resume = (agent: string, projectId: string): Promise<{ focus_task_id: string | null }> =>
  store.as(agent, (scope) =>
    resumeWork(scope, { agent, projectId, limit: 100, focus: undefined, budgetTokens: 1500 }),
  );

it('takes different tasks in the order of the queue, then none', async () => {
  const [low, high] = [await create('low'), await create('high', null, 5)];
  expect([await take('ada'), await take('ada'), await take('grace')]).toEqual([high, low, null]);
});

it('takes abandoned work before untouched work, even of a higher priority', async () => {
  const half = await create('half done');
  await abandon(half);
  const urgent = await create('urgent', null, 9);
  expect([await take('grace'), await take('grace')]).toEqual([half, urgent]);
});

it('never offers the expired claim of another project', async () => {
  const foreign = await create('foreign', '/a');
  await abandon(foreign);
  expect(await take('grace', '/b')).toBeNull();
  expect(await resume('grace', '/b')).toMatchObject({ focus_task_id: null, focus_rule: 'none' });
  expect(await readReady(store.database, { projectId: null, limit: 5 }, store.at())).toEqual([]);
  const common = await create('of no project');
  await abandon(common);
  expect(await resume('grace', '/b')).toMatchObject({ focus_task_id: common });
  expect(await resume('grace', '/a')).toMatchObject({ focus_task_id: foreign });
});
