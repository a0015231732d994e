import { createTail, randomHex } from '../src/base/ids.ts';
import type { Database } from '../src/continuity/database/database.ts';
import { appendEvent } from '../src/continuity/events/event.ts';
import { setMemory } from '../src/continuity/memory/write-memory.ts';
import { createScope, type Scope } from '../src/continuity/scope.ts';
import { createTask } from '../src/continuity/tasks/write-task.ts';

export const SMALL = { events: 100, tasks: 100, memories: 100 };
export const LARGE = { events: 100_000, tasks: 10_000, memories: 10_000 };
const PROJECTS = 5;
const ports = { now: Date.now, randomHex, createTail, describeFile: () => Promise.resolve(undefined) };

/** Fills a store in a few large transactions; returns the id of its last event. */
export async function fillStore(database: Database, size: typeof SMALL): Promise<number> {
  let last = 0;
  const inBatches = async (
    count: number,
    work: (scope: Scope, index: number) => Promise<void>,
  ): Promise<void> => {
    for (let start = 0; start < count; start += 5000) {
      await database.transaction(async (db) => {
        const scope = createScope(db, 'filler', ports);
        for (let index = start; index < Math.min(count, start + 5000); index += 1) await work(scope, index);
      });
    }
  };
  await inBatches(size.tasks, async (scope, index) => {
    await createTask(scope, {
      title: `task ${index}`,
      description: 'to do',
      projectId: `p${index % PROJECTS}`,
      priority: index % 7,
    });
  });
  await inBatches(size.memories, async (scope, index) => {
    await setMemory(scope, {
      scope: 'global',
      scope_id: '',
      key: `key ${index}`,
      value: `value ${index}`,
      valueType: 'string',
      expiresAt: null,
    });
  });
  await inBatches(size.events, async (scope, index) => {
    const id = await appendEvent(scope, {
      kind: 'progress',
      message: `step ${index}`,
      projectId: `p${index % PROJECTS}`,
    });
    last = Number(id);
  });
  return last;
}
