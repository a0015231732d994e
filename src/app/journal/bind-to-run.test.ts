import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { createTail, randomHex } from '../../base/ids.ts';
import type { Database } from '../../continuity/database/database.ts';
import { openSqlite } from '../../continuity/database/sqlite/open-sqlite.ts';
import { setMemory, type NewMemory } from '../../continuity/memory/write-memory.ts';
import { createScope, type Scope } from '../../continuity/scope.ts';
import { claimTask } from '../../continuity/tasks/claim-task.ts';
import { createTask } from '../../continuity/tasks/write-task.ts';
import { bindToRun } from './bind-to-run.ts';
import type { RunBounds } from './run-bounds.ts';

const OWNER = 'agent-1@job_1';
const AT = Date.UTC(2030, 0, 1);

let folder: ReturnType<typeof temporaryFolder>;
let database: Database;
let tasks: Record<'own' | 'free' | 'claimed' | 'shared' | 'foreign', string>;
beforeEach(async () => {
  folder = temporaryFolder('bounds');
  database = openSqlite(join(folder.path, 'deed.db'));
  const own = await newTask('/tree');
  const claimed = await newTask('/tree');
  await asAgent('neighbour', async (scope) => claimTask(scope, await row(scope, claimed), {}));
  tasks = {
    own,
    claimed,
    free: await newTask('/tree'),
    shared: await newTask(null),
    foreign: await newTask('/other'),
  };
  await remember({ scope: 'project', scope_id: '/tree', key: 'rule', kind: 'directive' }, 'user:ann');
  await remember({ scope: 'project', scope_id: '/tree', key: 'pinned', pinned: true }, 'neighbour');
  await remember({ scope: 'project', scope_id: '/tree', key: 'mine', pinned: true }, OWNER);
  await remember({ scope: 'project', scope_id: '/tree', key: 'fact' }, 'neighbour');
});
afterEach(() => {
  database.close();
  folder.dispose();
});

function asAgent<T>(agent: string, work: (scope: Scope) => Promise<T>): Promise<T> {
  const ports = { now: () => AT, randomHex, createTail, describeFile: async () => undefined };
  return database.transaction((db) => work(createScope(db, agent, ports)));
}

async function row({ db }: Scope, id: string) {
  return (await import('../../continuity/tasks/task.ts')).requireTask(db, id);
}

function newTask(projectId: string | null): Promise<string> {
  const task = { title: 'x', description: '', projectId, priority: 0 };
  return asAgent('neighbour', async (scope) => (await createTask(scope, task)).row.id);
}

function remember(memory: Partial<NewMemory> & Pick<NewMemory, 'scope' | 'scope_id' | 'key'>, agent: string) {
  const whole = { value: 'v', valueType: 'string', expiresAt: null, ...memory } as const;
  return asAgent(agent, (scope) => setMemory(scope, whole));
}

function bind(command: string, params: Record<string, unknown>, agent = OWNER): Promise<unknown> {
  const bounds: RunBounds = { owner: OWNER, agentId: 'agent-1', project: '/tree', taskId: tasks.own };
  return asAgent(OWNER, ({ db, at }) => bindToRun(db, { command, agent, params }, bounds, at));
}

const inProject = (key: string) => ({ scope: 'project', scope_id: '/tree', key, value: 'v' });

describe('a journal write of a run', () => {
  it('creates tasks in the project of the run', async () => {
    expect(await bind('task create', { title: 'x' })).toEqual({ title: 'x', project_id: '/tree' });
    expect(await bind('task create', { title: 'x', project_id: '/tree' })).toMatchObject({ title: 'x' });
  });

  it.each([
    ['task set-priority', () => ({ id: tasks.own, priority: 1 })],
    ['task complete', () => ({ id: tasks.free })],
    ['task add-dep', () => ({ id: tasks.free, depends_on: tasks.claimed })],
    ['push', () => ({ task_id: tasks.own, event: { kind: 'k', message: 'm' }, memories: inProject('new') })],
    ['memory set', () => inProject('fact')],
    ['memory set', () => inProject('mine')],
    ['memory set', () => ({ scope: 'task', scope_id: tasks.own, key: 'k' })],
    ['memory set', () => ({ scope: 'agent', scope_id: 'agent-1', key: 'k' })],
  ])('is accepted within its bounds: %s', async (command, params) => {
    expect(await bind(command, params(), 'agent-1')).toEqual(params());
  });

  it.each([
    ['as another agent', 'task create', () => ({ title: 'x' }), 'only as its own agent', 'agent-2'],
    ['in another project', 'task create', () => ({ title: 'x', project_id: '/other' }), 'its own project'],
    ['on a task of another project', 'task complete', () => ({ id: tasks.foreign }), 'does not belong'],
    ['on a task without a project', 'task set-status', () => ({ id: tasks.shared }), 'does not belong'],
    ['on a claimed task', 'task set-priority', () => ({ id: tasks.claimed }), 'claimed by neighbour'],
    ['with a claimed task', 'task add-dep', () => ({ id: tasks.claimed, depends_on: tasks.own }), 'claimed'],
    [
      'with a foreign task',
      'task add-dep',
      () => ({ id: tasks.own, depends_on: tasks.foreign }),
      'not belong',
    ],
    ['on a claimed task', 'push', () => ({ task_id: tasks.claimed, artifacts: [] }), 'claimed by neighbour'],
    ['without a task', 'push', () => ({ event: { kind: 'k', message: 'm' } }), 'requires a task'],
    ['of a global memory', 'memory set', () => ({ key: 'k', value: 'v' }), 'not of global'],
    [
      'of a foreign memory',
      'push',
      () => ({ memories: [{ scope: 'project', scope_id: '/other' }] }),
      '/other',
    ],
    ['of another agent', 'memory set', () => ({ scope: 'agent', scope_id: 'agent-2', key: 'k' }), 'agent-2'],
    [
      'for a claimed task',
      'memory set',
      () => ({ scope: 'task', scope_id: tasks.claimed, key: 'work' }),
      'claimed',
    ],
    ['of a directive', 'memory set', () => inProject('rule'), 'is a directive'],
    ['of a pinned memory', 'memory set', () => inProject('pinned'), 'pinned by neighbour'],
    ['that deletes', 'memory delete', () => inProject('fact'), 'not allowed inside a run'],
    ['that removes a link', 'task remove-dep', () => ({ id: tasks.own }), 'not allowed inside a run'],
  ])('is rejected %s (%s)', async (_, command, params, message, agent = OWNER) => {
    await expect(bind(command, params(), agent)).rejects.toThrow(message);
  });
});
