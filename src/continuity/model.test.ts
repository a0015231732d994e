import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONG } from '../../test/fixtures/start-node.ts';
import { createStore, type TemporaryStore } from '../../test/fixtures/temporary-store.ts';
import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import { readEvents } from './events/event.ts';
import { writeOnce } from './idempotency.ts';
import { readMemories } from './memory/read-memories.ts';
import { forgetMemory, setMemory } from './memory/write-memory.ts';
import { claimTask, heartbeat } from './tasks/claim-task.ts';
import { addDependency, removeDependency } from './tasks/link-tasks.ts';
import { readReady, readTaskCounts } from './tasks/read-tasks.ts';
import { requireTask, type TaskStatus } from './tasks/task.ts';
import { completeTask, createTask, deleteTask, setPriority, setStatus } from './tasks/write-task.ts';
import type { Scope } from './scope.ts';

/**
 * Runs random calls against the store and against a simple model of plain objects, without a database, transactions or counters. After
 * every call both must have the same tasks, queue, memories and number of events.
 */
interface ModelTask {
  status: TaskStatus;
  priority: number;
  order: number;
  reason: string | null;
  owner: string | null;
  until: number;
  waitsFor: Set<string>;
  /** The number of open dependencies after the last step. */
  counted: number;
  /** The agents whose claim was taken by another one. */
  lost: Set<string>;
}

class Model {
  now = 0;
  order = 0;
  readonly tasks = new Map<string, ModelTask>();
  readonly memory = new Map<string, { value: string; until: number }>();
  readonly requests = new Map<string, string>();

  open(task: ModelTask): number {
    return [...task.waitsFor].filter((id) => this.tasks.get(id)?.status !== 'completed').length;
  }

  held(task: ModelTask, agent: string): boolean {
    return task.owner !== null && task.owner !== agent && task.until > this.now;
  }

  /** Whether an agent may change the task. */
  free(task: ModelTask, agent: string): boolean {
    const isOwn = task.owner === agent && task.until > this.now;
    return isOwn || (!this.held(task, agent) && !task.lost.has(agent));
  }

  release(task: ModelTask, who: string): void {
    if (task.owner !== null && task.owner !== who) task.lost.add(task.owner);
    task.owner = null;
    task.until = 0;
  }

  /** Updates the status of tasks whose dependencies changed; a task that another agent works on keeps its status. */
  settle(who: string): void {
    for (const task of this.tasks.values()) {
      const [open, before] = [this.open(task), task.counted];
      task.counted = open;
      if (open === 0 && task.status === 'blocked' && task.reason === 'dependency') {
        task.status = 'pending';
        task.reason = null;
      } else if (
        open > before &&
        !this.held(task, who) &&
        (task.status === 'pending' || task.status === 'in_progress')
      ) {
        task.status = 'blocked';
        task.reason = 'dependency';
        this.release(task, who);
      }
    }
  }

  reaches(from: string, to: string, seen = new Set<string>()): boolean {
    if (seen.has(from)) return false;
    seen.add(from);
    return [...(this.tasks.get(from)?.waitsFor ?? [])].some((id) => id === to || this.reaches(id, to, seen));
  }

  ready(): string[] {
    return [...this.tasks]
      .filter(
        ([, task]) =>
          (task.status === 'pending' && this.open(task) === 0) ||
          (task.status === 'in_progress' && task.until <= this.now && this.open(task) === 0),
      )
      .sort(([, a], [, b]) => b.priority - a.priority || a.order - b.order)
      .map(([id]) => id);
  }
}

type Step =
  | { do: 'create'; priority: number }
  | { do: 'begin' | 'heartbeat' | 'complete' | 'block' | 'reopen' | 'delete'; task: number; agent: number }
  | { do: 'priority'; task: number; priority: number }
  | { do: 'link' | 'unlink'; task: number; other: number }
  | { do: 'remember'; key: number; value: string; lasts: number }
  | { do: 'forget'; key: number }
  | { do: 'wait'; ms: number }
  | { do: 'replay' };

const index = fc.nat({ max: 5 });
const agent = fc.nat({ max: 2 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('create' as const), priority: fc.integer({ min: 0, max: 2 }) }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'begin' as const,
        'heartbeat' as const,
        'complete' as const,
        'block' as const,
        'reopen' as const,
        'delete' as const,
      ),
      task: index,
      agent,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('priority' as const),
      task: index,
      priority: fc.integer({ min: 0, max: 2 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('link' as const, 'unlink' as const),
      task: index,
      other: index,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('remember' as const),
      key: fc.nat({ max: 2 }),
      value: fc.string(),
      lasts: fc.constantFrom(0, 50, 500),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), key: fc.nat({ max: 2 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 60, 200) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('replay' as const) }) },
);

const LEASE_MS = 100;
const AGENTS = ['ada', 'grace', 'linus'];
const PLACE = { scope: 'global', scope_id: '' } as const;

class Comparison {
  readonly model = new Model();
  readonly store: TemporaryStore;
  readonly ids: string[] = [];
  #requests = 0;
  #last: (() => Promise<unknown>) | undefined;

  constructor(store: TemporaryStore) {
    this.store = store;
  }

  /** Applies a step to the store and the model; both must reject it or neither. */
  async apply(step: Step): Promise<void> {
    const { model, store } = this;
    const id = 'task' in step ? this.ids[step.task % Math.max(1, this.ids.length)] : undefined;
    const task = id === undefined ? undefined : model.tasks.get(id);
    const who = 'agent' in step ? (AGENTS[step.agent] ?? '') : 'ada';
    switch (step.do) {
      case 'wait':
        store.wait(step.ms);
        model.now += step.ms;
        return;
      case 'replay': {
        const before = await this.logged();
        const answer = (await this.#last?.()) as { replayed?: boolean } | undefined;
        if (answer) expect(answer.replayed).toBe(true);
        expect(await this.logged()).toBe(before);
        return;
      }
      case 'create': {
        const made = (await this.write(who, async (scope) => {
          const { row } = await createTask(scope, {
            title: 't',
            description: '',
            projectId: null,
            priority: step.priority,
          });
          return { id: row.id };
        })) as { id: string };
        store.wait(1);
        model.now += 1;
        this.ids.push(made.id);
        model.tasks.set(made.id, {
          status: 'pending',
          priority: step.priority,
          order: (model.order += 1),
          reason: null,
          owner: null,
          until: 0,
          waitsFor: new Set(),
          counted: 0,
          lost: new Set(),
        });
        return;
      }
      case 'remember': {
        const expiresAt =
          step.lasts === 0 ? null : new Date(Date.parse(store.at()) + step.lasts).toISOString();
        const value = step.value.toWellFormed().replaceAll('\u0000', '');
        await this.write(who, async (scope) => ({
          ...(await setMemory(scope, {
            ...PLACE,
            key: `k${step.key}`,
            value,
            valueType: 'string',
            expiresAt,
          })),
        }));
        model.memory.set(`k${step.key}`, {
          value,
          until: step.lasts === 0 ? Number.POSITIVE_INFINITY : model.now + step.lasts,
        });
        return;
      }
      case 'forget': {
        const known = model.memory.get(`k${step.key}`);
        const allowed = known !== undefined && known.until > model.now;
        await this.expectOutcome(allowed, who, async (scope) => ({
          ...(await forgetMemory(scope, { ...PLACE, key: `k${step.key}` })),
        }));
        if (allowed) model.memory.delete(`k${step.key}`);
        return;
      }
      case 'link':
      case 'unlink': {
        const other = this.ids[step.other % Math.max(1, this.ids.length)];
        if (id === undefined || other === undefined) return;
        if (step.do === 'unlink') {
          const allowed = task !== undefined && task.waitsFor.has(other) && model.free(task, who);
          await this.expectOutcome(allowed, who, async (scope) => ({
            ...(await removeDependency(scope, id, other)),
          }));
          if (allowed) task.waitsFor.delete(other);
        } else {
          const known = task?.waitsFor.has(other) === true;
          const allowed =
            task !== undefined &&
            model.free(task, who) &&
            model.tasks.has(other) &&
            id !== other &&
            (known || (task.status !== 'completed' && !model.reaches(other, id)));
          await this.expectOutcome(allowed, who, async (scope) => ({
            ...(await addDependency(scope, id, other, 'blocks')),
          }));
          if (allowed) task.waitsFor.add(other);
        }
        model.settle(who);
        return;
      }
      default:
        if (id !== undefined) await this.applyTaskStep(step, id, task, who);
    }
  }

  async applyTaskStep(
    step: Extract<Step, { task: number }>,
    id: string,
    task: ModelTask | undefined,
    who: string,
  ): Promise<void> {
    const { model } = this;
    const free = task !== undefined && model.free(task, who);
    switch (step.do) {
      case 'priority':
        await this.expectOutcome(free, who, async (scope) => ({
          ...(await setPriority(scope, id, step.priority)).row,
        }));
        if (free) task.priority = step.priority;
        return;
      case 'begin': {
        const allowed =
          task !== undefined &&
          !model.held(task, who) &&
          task.status !== 'completed' &&
          model.open(task) === 0;
        await this.expectOutcome(allowed, who, async (scope) => ({
          ...(await claimTask(scope, await requireTask(scope.db, id), { leaseMs: LEASE_MS })).row,
        }));
        if (allowed) {
          model.release(task, who);
          task.lost.delete(who);
          Object.assign(task, {
            status: 'in_progress',
            reason: null,
            owner: who,
            until: model.now + LEASE_MS,
          });
        }
        return;
      }
      case 'heartbeat': {
        const allowed =
          task !== undefined && task.status === 'in_progress' && task.owner === who && task.until > model.now;
        await this.expectOutcome(allowed, who, async (scope) => ({
          ...(await heartbeat(scope, id, LEASE_MS)),
        }));
        if (allowed) task.until = model.now + LEASE_MS;
        return;
      }
      case 'complete':
        await this.expectOutcome(free, who, async (scope) => ({
          ...(await completeTask(scope, id, { outcome: 'done', summary: 's' })).row,
        }));
        if (free) {
          Object.assign(task, { status: 'completed', reason: null });
          model.release(task, who);
        }
        break;
      case 'block':
        await this.expectOutcome(free, who, async (scope) => ({
          ...(await setStatus(scope, id, 'blocked', 'by hand')).row,
        }));
        if (free) {
          Object.assign(task, { status: 'blocked', reason: 'by hand' });
          model.release(task, who);
        }
        break;
      case 'reopen': {
        const allowed = free && model.open(task) === 0;
        await this.expectOutcome(allowed, who, async (scope) => ({
          ...(await setStatus(scope, id, 'pending', null)).row,
        }));
        if (allowed) {
          Object.assign(task, { status: 'pending', reason: null });
          model.release(task, who);
        }
        break;
      }
      case 'delete':
        await this.expectOutcome(free, who, async (scope) => ({ ...(await deleteTask(scope, id)) }));
        if (free) {
          model.tasks.delete(id);
          for (const other of model.tasks.values()) other.waitsFor.delete(id);
        }
        break;
      default:
        return;
    }
    model.settle(who);
  }

  async compare(): Promise<void> {
    const { model, store } = this;
    for (const [id, task] of model.tasks) {
      const row = await requireTask(store.database, id);
      expect({
        status: row.status,
        priority: row.priority,
        reason: row.blocked_reason,
        open: row.open_dependencies,
        owner: row.claimed_by,
      }).toEqual({
        status: task.status,
        priority: task.priority,
        reason: task.reason,
        open: model.open(task),
        owner: task.owner,
      });
    }
    expect((await readReady(store.database, { limit: 100 }, store.at())).map(({ id }) => id)).toEqual(
      model.ready(),
    );
    const counts = { pending: 0, in_progress: 0, completed: 0, blocked: 0 };
    for (const { status } of model.tasks.values()) counts[status] += 1;
    expect(await readTaskCounts(store.database)).toEqual(counts);
    const remembered = (await readMemories(store.database, PLACE, store.at(), 100)).map(({ key, value }) => [
      key,
      value,
    ]);
    expect(Object.fromEntries(remembered)).toEqual(
      Object.fromEntries(
        [...model.memory]
          .filter(([, { until }]) => until > model.now)
          .map(([key, { value }]) => [key, value]),
      ),
    );
  }

  async logged(): Promise<number> {
    return (await readEvents(this.store.database, { ascending: true, includeArchived: true, limit: 10_000 }))
      .length;
  }

  async expectOutcome(allowed: boolean, who: string, work: (scope: Scope) => Promise<object>): Promise<void> {
    const before = await this.logged();
    try {
      await this.write(who, work);
      expect('done').toBe(allowed ? 'done' : 'rejected');
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      expect(`rejected: ${error.message}`).toBe(allowed ? 'done' : `rejected: ${error.message}`);
      expect(await this.logged()).toBe(before);
    }
  }

  async write(who: string, work: (scope: Scope) => Promise<object>): Promise<JsonObject> {
    const requestId = `r${(this.#requests += 1)}`;
    const call = (): Promise<JsonObject> =>
      writeOnce(
        this.store.database,
        { agent: who, requestId, command: 'c', params: {}, onPayloadMismatch: 'reject' },
        this.store.ports,
        async (scope) => (await work(scope)) as JsonObject,
      );
    const result = await call();
    this.#last = call;
    return result;
  }
}

describe('any sequence of calls', () => {
  it('leaves the store in the state that a simple model predicts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 40 }), async (list) => {
        const store = createStore();
        try {
          const comparison = new Comparison(store);
          for (const step of list) {
            await comparison.apply(step);
            await comparison.compare();
          }
          expect(await store.database.check()).toEqual([]);
        } finally {
          store.dispose();
        }
      }),
      { numRuns: LONG ? 1000 : 20 },
    );
  }, 600_000);
});
