import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { Database } from '../../src/continuity/database/database.ts';
import { openPostgres } from '../../src/continuity/database/postgres/open-postgres.ts';
import { checkScope } from '../../src/continuity/memory/memory.ts';
import { readHistory } from '../../src/continuity/memory/read-memories.ts';
import { setMemory } from '../../src/continuity/memory/write-memory.ts';
import type { Scope } from '../../src/continuity/scope.ts';
import { claimTask } from '../../src/continuity/tasks/claim-task.ts';
import { addDependency } from '../../src/continuity/tasks/link-tasks.ts';
import { requireTask } from '../../src/continuity/tasks/task.ts';
import { createTask } from '../../src/continuity/tasks/write-task.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { PORTS, pushEvent } from '../fixtures/push-events.ts';
import { newPostgresUrl } from '../fixtures/store-environment.ts';
import { writeAs } from '../fixtures/temporary-store.ts';

const ROUNDS = process.env.DEED_TEST_LONG ? 100 : 5;

const write = <T>(database: Database, agent: string, work: (scope: Scope) => Promise<T>): Promise<T> =>
  writeAs(database, PORTS, agent, work);

const newTask = (database: Database, title: string): Promise<{ id: string }> =>
  write(database, 'a', async (scope) => {
    const { row } = await createTask(scope, { title, description: '', priority: 0, projectId: null });
    return { id: row.id };
  });

const codeOf = (result: PromiseSettledResult<unknown>): string =>
  result.status === 'fulfilled'
    ? 'done'
    : result.reason instanceof Fault
      ? result.reason.code
      : String(result.reason);

describe.skipIf(findPostgres() === undefined)('races on Postgres', () => {
  it('give a task to one of 50 claimers', async () => {
    const database = openPostgres(newPostgresUrl());
    const { id } = await newTask(database, 'one');
    const claims = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        write(database, `claimer_${index}`, async (scope) =>
          claimTask(scope, await requireTask(scope.db, id), {}),
        ),
      ),
    );
    const codes = claims.map(codeOf);
    expect([
      codes.filter((code) => code === 'done').length,
      codes.filter((code) => code === 'E_CONFLICT').length,
    ]).toEqual([1, 49]);
    expect((await requireTask(database, id)).claim_number).toBe(1);
  });

  it('never let crossing dependencies form a cycle', async () => {
    const database = openPostgres(newPostgresUrl());
    for (let round = 0; round < ROUNDS; round += 1) {
      const [one, two] = [await newTask(database, 'one'), await newTask(database, 'two')];
      const links = await Promise.allSettled([
        write(database, 'a', (scope) => addDependency(scope, one.id, two.id, 'blocks')),
        write(database, 'b', (scope) => addDependency(scope, two.id, one.id, 'blocks')),
      ]);
      expect(links.map(codeOf).toSorted()).toEqual(['E_CONFLICT', 'done']);
    }
    expect(await database.check()).toEqual([]);
  });

  it('store a push once if its request id is sent several times at the same moment', async () => {
    const database = openPostgres(newPostgresUrl());
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = await Promise.all(
        Array.from({ length: 6 }, () => pushEvent(database, 'a', `request_${round}`)),
      );
      expect(new Set(ids).size).toBe(1);
    }
  });

  it('keep one current memory of a key', async () => {
    const database = openPostgres(newPostgresUrl());
    const location = { ...checkScope('global', undefined), key: 'k' };
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        write(database, `agent_${index}`, (scope) =>
          setMemory(scope, { ...location, value: `value ${index}`, valueType: 'string', expiresAt: null }),
        ),
      ),
    );
    const history = await readHistory(database, location, 100);
    expect(history.length).toBe(20);
    expect(history.filter(({ superseded_at }) => superseded_at === null).map(({ id }) => id)).toEqual([
      history[0]?.id,
    ]);
    expect(await database.check()).toEqual([]);
  });
});
