import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTail, randomHex } from '../src/base/ids.ts';
import type { JsonObject } from '../src/base/json.ts';
import type { Database } from '../src/continuity/database/database.ts';
import { openPostgres } from '../src/continuity/database/postgres/open-postgres.ts';
import { openSqlite } from '../src/continuity/database/sqlite/open-sqlite.ts';
import { writeOnce } from '../src/continuity/idempotency.ts';
import { applyPush } from '../src/continuity/push/apply-push.ts';
import { pushHints } from '../src/continuity/push/push-hints.ts';
import { createTask } from '../src/continuity/tasks/write-task.ts';
import type { Scope } from '../src/continuity/scope.ts';
import { findPostgres, startPostgres } from '../test/fixtures/postgres-server.ts';
import { measure, medianOf, ratioOf } from './measure.ts';
import type { Report } from './report.ts';

const BATCH = 40;
const ROUNDS = 9;
const PORTS = { now: Date.now, randomHex, createTail, describeFile: () => Promise.resolve(undefined) };
const ON_FILE = 'one push to the file';

/** Measures writes to a store on Postgres relative to the file. Both flush each commit; the server is on this machine. Empty without Postgres. */
export async function sharedStore(): Promise<readonly Report[]> {
  if (findPostgres() === undefined) return [];
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  const server = startPostgres();
  const file = openSqlite(join(folder, 'deed.db'));
  try {
    const shared = openPostgres(server.urlOf('deed'));
    const inTurn = (work: () => Promise<unknown>) => async (): Promise<void> => {
      for (let index = 0; index < BATCH; index += 1) await work();
    };
    const atOnce = (work: () => Promise<unknown>) => async (): Promise<void> => {
      await Promise.all(Array.from({ length: BATCH }, work));
    };
    const cases = [
      { name: ON_FILE, run: inTurn(() => push(file)) },
      { name: 'one push to Postgres', run: inTurn(() => push(shared)) },
      { name: 'one of 40 pushes at once, to the file', run: atOnce(() => push(file)) },
      { name: 'one of 40 pushes at once, to Postgres on 4 connections', run: atOnce(() => push(shared)) },
      { name: 'one new task on the file', run: inTurn(() => addTask(file)) },
      { name: 'one new task on Postgres', run: inTurn(() => addTask(shared)) },
    ];
    const times = await measure(cases, ROUNDS, 1);
    return [
      {
        title: 'A store on Postgres',
        note: `Ratio to \`${ON_FILE}\`. Batches of ${BATCH}, ${ROUNDS} interleaved rounds, in process.`,
        rows: cases.map(({ name }) => ({
          name,
          milliseconds: medianOf(times, name) / BATCH,
          ratio: ratioOf(times, name, ON_FILE),
        })),
      },
    ];
  } finally {
    file.close();
    server.dispose();
    rmSync(folder, { recursive: true });
  }
}

let count = 0;

function push(database: Database): Promise<unknown> {
  const event = { kind: 'progress', message: `step ${(count += 1)} of many` };
  const what = { event, memories: [], artifacts: [] };
  return write(
    database,
    (scope) => applyPush(scope, what),
    () => pushHints(what),
  );
}

function addTask(database: Database): Promise<unknown> {
  return write(database, async (scope) => {
    const { row } = await createTask(scope, { title: 'one', description: '', priority: 0, projectId: null });
    return { id: row.id };
  });
}

function write(
  database: Database,
  work: (scope: Scope) => Promise<JsonObject>,
  hints?: () => ReturnType<typeof pushHints>,
): Promise<unknown> {
  const requestId = `bench_${(count += 1)}`;
  const key = {
    agent: 'bench',
    requestId,
    command: 'bench',
    params: {},
    onPayloadMismatch: 'replay',
  } as const;
  return writeOnce(database, key, PORTS, work, hints);
}
