import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore, type TemporaryStore } from '../../../test/fixtures/temporary-store.ts';
import { readEvents } from '../events/event.ts';
import { applyPush } from '../push/apply-push.ts';
import type { Scope } from '../scope.ts';
import { STORE_LIMITS } from '../store-limits.ts';
import { claimTask, heartbeat } from './claim-task.ts';
import { addDependency, removeDependency } from './link-tasks.ts';
import { requireTask, showTask, type TaskRow } from './task.ts';
import { completeTask, createTask, deleteTask, setPriority, setStatus } from './write-task.ts';

let store: TemporaryStore;
beforeEach(() => {
  store = createStore();
});
afterEach(() => store.dispose());

const LEASE_MS = 60_000;

/** Runs work as one session of an agent. */
const inSession = <T>(
  agent: string,
  session: string | null,
  work: (scope: Scope) => Promise<T>,
): Promise<T> => store.as(agent, (scope) => work({ ...scope, claimSession: session }));
const create = (title = 't'): Promise<string> =>
  store.as('a', async (scope) => {
    const task = { title, description: '', projectId: null, priority: 0 };
    return (await createTask(scope, task)).row.id;
  });
const begin = (agent: string, session: string | null, id: string): Promise<TaskRow> =>
  inSession(agent, session, async (scope) => {
    const row = await requireTask(scope.db, id);
    return (await claimTask(scope, row, { leaseMs: LEASE_MS })).row;
  });
const complete = (agent: string, session: string | null, id: string): Promise<unknown> =>
  inSession(agent, session, (scope) => completeTask(scope, id, { outcome: 'done', summary: 'done' }));
const kindsOf = async (id: string): Promise<string[]> =>
  (await readEvents(store.database, { taskId: id, ascending: true, includeArchived: true, limit: 100 })).map(
    ({ kind }) => kind,
  );

const CHANGES: Readonly<Record<string, (scope: Scope, id: string, other: string) => Promise<unknown>>> = {
  status: (scope, id) => setStatus(scope, id, 'pending', null),
  'status by a push': (scope, id) =>
    applyPush(scope, { taskId: id, memories: [], artifacts: [], taskStatus: { status: 'completed' } }),
  begin: async (scope, id) => claimTask(scope, await requireTask(scope.db, id), {}),
  priority: (scope, id) => setPriority(scope, id, 5),
  'a new dependency': (scope, id, other) => addDependency(scope, id, other, 'blocks'),
  'removal of a dependency': (scope, id, other) => removeDependency(scope, id, other),
  completion: (scope, id) => completeTask(scope, id, { outcome: 'done', summary: 's' }),
  deletion: (scope, id) => deleteTask(scope, id),
};

describe('a claimed task', () => {
  it.each(Object.keys(CHANGES))(
    'rejects a change by another holder, and names the holder: %s',
    async (name) => {
      const [id, other] = [await create(), await create('other')];
      if (name.startsWith('removal')) {
        await complete('a', null, other);
        await store.as('a', (scope) => addDependency(scope, id, other, 'blocks'));
      }
      const claimed = await begin('ada', 's1', id);
      for (const [agent, session] of [
        ['grace', null],
        ['ada', 's2'],
      ] as const) {
        const change = inSession(
          agent,
          session,
          (scope) => CHANGES[name]?.(scope, id, other) ?? Promise.resolve(),
        );
        await expect(change).rejects.toMatchObject({
          code: 'E_CONFLICT',
          message: `The task ${id} is claimed by ada (session s1) until ${claimed.claim_expires_at}.`,
          details: { reason: 'claimed', owner: 'ada', session: 's1', claim_number: 1 },
        });
      }
      expect(await requireTask(store.database, id)).toEqual(claimed);
    },
  );

  it('accepts events, memories and artifacts of others', async () => {
    const id = await create();
    await begin('ada', 's1', id);
    const pushed = await store.as('grace', (scope) =>
      applyPush(scope, {
        taskId: id,
        event: { kind: 'note', message: 'seen' },
        memories: [
          { scope: 'task', scope_id: id, key: 'k', value: 'v', valueType: 'string', expiresAt: null },
        ],
        artifacts: [{ filePath: '/x' }],
      }),
    );
    expect(pushed).toMatchObject({
      kind: 'note',
      memories: [{ key: 'k' }],
      artifacts: [{ file_path: '/x' }],
    });
  });

  it('is open to calls of its agent without a session, and a claim without a session to all sessions of its agent', async () => {
    const [first, second] = [await create(), await create()];
    await begin('ada', 's1', first);
    await complete('ada', null, first);
    const byName = await begin('ada', null, second);
    expect(byName.claim_session).toBeNull();
    const upgraded = await begin('ada', 's2', second);
    expect([upgraded.claim_session, upgraded.claim_number]).toEqual(['s2', 1]);
    // A child of the session that does not know it, such as a script, does not remove it from the claim.
    expect((await begin('ada', null, second)).claim_session).toBe('s2');
    await expect(complete('ada', 's1', second)).rejects.toMatchObject({ details: { session: 's2' } });
    await complete('ada', 's2', second);
  });

  it('keeps its claim and status when another agent reopens a task that it depends on', async () => {
    const [id, blocker] = [await create(), await create('blocker')];
    await complete('a', null, blocker);
    await store.as('a', (scope) => addDependency(scope, id, blocker, 'blocks'));
    await begin('ada', null, id);
    await store.as('grace', (scope) => setStatus(scope, blocker, 'pending', null));
    expect(await requireTask(store.database, id)).toMatchObject({
      status: 'in_progress',
      claimed_by: 'ada',
      open_dependencies: 1,
    });
    await complete('ada', null, id);
  });

  it('can be changed by a person; this is logged, and the late write of the holder is rejected', async () => {
    const [first, second] = [await create(), await create()];
    await begin('ada', 's1', first);
    await begin('ada', 's1', second);
    await store.as('user:kim', (scope) => setPriority(scope, first, 9));
    expect(await requireTask(store.database, first)).toMatchObject({ priority: 9, claimed_by: 'ada' });
    await store.as('user:kim', (scope) => setStatus(scope, second, 'pending', null));
    expect(await kindsOf(first)).toContain('claim_overridden');
    expect(await kindsOf(second)).toContain('claim_overridden');
    await complete('ada', 's1', first);
    await expect(complete('ada', 's1', second)).rejects.toMatchObject({
      details: { reason: 'claim-lost', lost_claim_number: 1, claim_number: 2, taken_by: 'user:kim' },
    });
    expect((await begin('user:kim', null, second)).claim_number).toBe(3);
  });
});

describe('a holder whose lease expired', () => {
  it('cannot write after another one took the task, even when that one has finished', async () => {
    const id = await create();
    await begin('ada', 's1', id);
    store.wait(LEASE_MS);
    expect((await begin('ada', 's2', id)).claim_number).toBe(2);
    await expect(complete('ada', 's1', id)).rejects.toMatchObject({
      code: 'E_CONFLICT',
      message: expect.stringContaining('Claim 1 of ada'),
      details: { reason: 'claim-lost', lost_claim_number: 1, claim_number: 2, taken_by: 'ada (session s2)' },
    });
    await expect(inSession('ada', 's1', (scope) => heartbeat(scope, id, undefined))).rejects.toMatchObject({
      details: { session: 's2' },
    });
    await complete('ada', 's2', id);
    const late = inSession('ada', 's1', (scope) => setStatus(scope, id, 'blocked', 'cannot be done'));
    await expect(late).rejects.toMatchObject({ details: { reason: 'claim-lost', lost_claim_number: 1 } });
    expect((await requireTask(store.database, id)).status).toBe('completed');
    expect(await kindsOf(id)).toContain('task_reclaimed');
  });

  it('can still write if no other holder took the task, and after it claimed the task again', async () => {
    const [first, second] = [await create(), await create()];
    await begin('ada', 's1', first);
    await begin('ada', 's1', second);
    store.wait(LEASE_MS);
    await complete('ada', 's1', first);
    await begin('grace', null, second);
    store.wait(LEASE_MS);
    expect((await begin('ada', 's1', second)).claim_number).toBe(3);
    await complete('ada', 's1', second);
  });

  it('is not rejected for longer than a day', async () => {
    const id = await create();
    await begin('ada', null, id);
    store.wait(LEASE_MS);
    await begin('grace', null, id);
    await complete('grace', null, id);
    store.wait(STORE_LIMITS.lostClaimMs);
    await store.as('ada', (scope) => setStatus(scope, id, 'pending', null));
  });
});

it('a task shows the session and the number of its claim', async () => {
  const id = await create();
  const row = await begin('ada', 's1', id);
  expect((await showTask(store.database, row, store.at())).claim).toMatchObject({
    agent: 'ada',
    session: 's1',
    number: 1,
    expired: false,
  });
});
