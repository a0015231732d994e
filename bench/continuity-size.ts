import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomHex } from '../src/base/ids.ts';
import type { Database } from '../src/continuity/database/database.ts';
import { openSqlite } from '../src/continuity/database/sqlite/open-sqlite.ts';
import { appendEvent } from '../src/continuity/events/event.ts';
import { resume } from '../src/continuity/focus/resume.ts';
import { setMemory } from '../src/continuity/memory/write-memory.ts';
import { createScope, type Scope } from '../src/continuity/scope.ts';
import { readReady } from '../src/continuity/tasks/read-tasks.ts';
import { showTask } from '../src/continuity/tasks/task.ts';
import { createTask } from '../src/continuity/tasks/write-task.ts';
import { saveAgentState } from '../src/continuity/database/queries/agents.ts';
import { measure, medianOf, ratioOf, type Case } from './measure.ts';
import type { Report } from './report.ts';

const SMALL = { events: 100, tasks: 100, memories: 100 };
const LARGE = { events: 100_000, tasks: 10_000, memories: 10_000 };
const DELTAS = 50;
const PROJECTS = 5;
const ports = { now: Date.now, randomHex, describeFile: () => Promise.resolve(undefined) };

/** Whether a store that has grown answers as fast as a young one, for the same number of deltas. */
export async function continuitySize(): Promise<readonly Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  const small = openSqlite(join(folder, 'small.db'));
  const large = openSqlite(join(folder, 'large.db'));
  try {
    const last = new Map([
      [small, await fill(small, SMALL)],
      [large, await fill(large, LARGE)],
    ]);
    const resumeOn = (name: string, database: Database): Case => ({
      name,
      run: async () => {
        for (let index = 0; index < 20; index += 1) {
          const agent = `agent ${randomHex(4)}`;
          const { deltas } = await database.transaction(async (session) => {
            const scope = createScope(session, agent, ports);
            await session.run(saveAgentState, {
              agent,
              project_id: '',
              cursor: (last.get(database) ?? 0) - DELTAS,
              focus_task_id: null,
              at: scope.at,
            });
            return resume(scope, {
              agent,
              projectId: undefined,
              limit: DELTAS,
              focus: undefined,
              budgetTokens: 1500,
            });
          });
          if (deltas.length !== DELTAS) throw new Error(`${deltas.length} deltas`);
        }
      },
    });
    const readyOn = (name: string, database: Database): Case => ({
      name,
      run: async () => {
        for (let index = 0; index < 20; index += 1) {
          const rows = await readReady(database, { limit: 50 }, new Date().toISOString());
          for (const row of rows) await showTask(database, row, '2026-01-01T00:00:00.000Z');
        }
      },
    });
    return [
      await compare(
        'Resume in a store that has grown',
        resumeOn('young', small),
        resumeOn('100,000 events, 10,000 tasks and memories', large),
      ),
      await compare(
        'Ready tasks in a store that has grown',
        readyOn('young', small),
        readyOn('100,000 events, 10,000 tasks and memories', large),
      ),
    ];
  } finally {
    small.close();
    large.close();
    rmSync(folder, { recursive: true });
  }
}

async function compare(title: string, young: Case, grown: Case): Promise<Report> {
  const times = await measure([young, grown], 15);
  const rows = [young, grown].map(({ name }) => ({
    name,
    milliseconds: medianOf(times, name) / 20,
    ratio: ratioOf(times, name, young.name),
  }));
  return {
    title,
    note: `Ratio to a store with 100 of each; ${DELTAS} deltas.`,
    rows: rows.map((row) => (row.name === grown.name ? { ...row, target: 3 } : row)),
  };
}

/** Fills a store in a few large transactions; tells the number of its last event. */
async function fill(database: Database, size: typeof SMALL): Promise<number> {
  let last = 0;
  const inParts = async (
    count: number,
    work: (scope: Scope, index: number) => Promise<void>,
  ): Promise<void> => {
    for (let start = 0; start < count; start += 5000) {
      await database.transaction(async (session) => {
        const scope = createScope(session, 'filler', ports);
        for (let index = start; index < Math.min(count, start + 5000); index += 1) await work(scope, index);
      });
    }
  };
  await inParts(size.tasks, async (scope, index) => {
    await createTask(scope, {
      title: `task ${index}`,
      description: 'to do',
      projectId: `p${index % PROJECTS}`,
      priority: index % 7,
    });
  });
  await inParts(size.memories, async (scope, index) => {
    await setMemory(scope, {
      scope: 'global',
      scope_id: '',
      key: `key ${index}`,
      value: `value ${index}`,
      valueType: 'string',
      expiresAt: null,
    });
  });
  await inParts(size.events, async (scope, index) => {
    last = await appendEvent(scope, {
      kind: 'progress',
      message: `step ${index}`,
      projectId: `p${index % PROJECTS}`,
    });
  });
  return last;
}
