import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTail, randomHex } from '../src/base/ids.ts';
import type { Database } from '../src/continuity/database/database.ts';
import { openSqlite } from '../src/continuity/database/sqlite/open-sqlite.ts';
import { resumeWork } from '../src/continuity/focus/resume-work.ts';
import { createScope } from '../src/continuity/scope.ts';
import { readReady } from '../src/continuity/tasks/read-tasks.ts';
import { showTask } from '../src/continuity/tasks/task.ts';
import { saveAgentState } from '../src/continuity/database/queries/agents.ts';
import { fillStore, LARGE, SMALL } from './fill-store.ts';
import { measure, medianOf, ratioOf, type Case } from './measure.ts';
import type { Report } from './report.ts';

const DELTAS = 50;
const ports = { now: Date.now, randomHex, createTail, describeFile: () => Promise.resolve(undefined) };

/** Compares a large store with a small one, for the same number of deltas. */
export async function continuitySize(): Promise<readonly Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  const small = openSqlite(join(folder, 'small.db'));
  const large = openSqlite(join(folder, 'large.db'));
  try {
    const last = new Map<Database, number>([
      [small, await fillStore(small, SMALL)],
      [large, await fillStore(large, LARGE)],
    ]);
    const resumeOn = (name: string, database: Database): Case => ({
      name,
      run: async () => {
        for (let index = 0; index < 20; index += 1) {
          const agent = `agent ${randomHex(4)}`;
          const { deltas } = await database.transaction(async (db) => {
            const scope = createScope(db, agent, ports);
            await db.run(saveAgentState, {
              agent,
              project_id: '',
              cursor: (last.get(database) ?? 0) - DELTAS,
              focus_task_id: null,
              at: scope.at,
            });
            return resumeWork(scope, {
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
        'Resume in a large store',
        resumeOn('small store', small),
        resumeOn('100,000 events, 10,000 tasks and memories', large),
      ),
      await compare(
        'Ready tasks in a large store',
        readyOn('small store', small),
        readyOn('100,000 events, 10,000 tasks and memories', large),
      ),
    ];
  } finally {
    small.close();
    large.close();
    rmSync(folder, { recursive: true });
  }
}

async function compare(title: string, baseline: Case, measured: Case): Promise<Report> {
  const times = await measure([baseline, measured], 15);
  const rows = [baseline, measured].map(({ name }) => ({
    name,
    milliseconds: medianOf(times, name) / 20,
    ratio: ratioOf(times, name, baseline.name),
  }));
  return {
    title,
    note: `Ratio to a store with 100 of each; ${DELTAS} deltas.`,
    rows: rows.map((row) => (row.name === measured.name ? { ...row, target: 3 } : row)),
  };
}
