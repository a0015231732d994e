import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTail, randomHex } from '../src/base/ids.ts';
import type { Database } from '../src/continuity/database/database.ts';
import { insertRequest } from '../src/continuity/database/queries/requests.ts';
import { openSqlite } from '../src/continuity/database/sqlite/open-sqlite.ts';
import { handleHook, type HookEvent } from '../src/continuity/hooks/handle-hook.ts';
import { fillStore, LARGE, SMALL } from './fill-store.ts';
import { measure, medianOf, ratioOf } from './measure.ts';
import type { Report } from './report.ts';

const EVENTS: readonly HookEvent[] = ['session-start', 'prompt', 'tool-success', 'checkpoint'];
const CALLS = 10;
/** The time limit of a handler, without the process start. */
const ALLOWED_MS = 100;
const ports = { now: Date.now, randomHex, createTail, describeFile: () => Promise.resolve(undefined) };

/** Measures the hook handlers against their time limit, in a small and in a large store. */
export async function continuityHooks(): Promise<readonly Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  const small = openSqlite(join(folder, 'small.db'));
  const large = openSqlite(join(folder, 'large.db'));
  try {
    await fillStore(small, SMALL);
    await fillStore(large, LARGE);
    await fillRequests(small, SMALL.events);
    await fillRequests(large, LARGE.events);
    const cases = EVENTS.flatMap((event) => [
      { name: `${event}, small`, run: () => callRepeatedly(small, event) },
      { name: `${event}, large`, run: () => callRepeatedly(large, event) },
    ]);
    const times = await measure(cases, 9);
    const milliseconds = (name: string): number => medianOf(times, name) / CALLS;
    return [
      {
        title: 'Hook handlers in a large store',
        note: 'Ratio to a store with 100 tasks, events and answers instead of 10,000, 100,000 and 100,000.',
        rows: EVENTS.map((event) => ({
          name: event,
          milliseconds: milliseconds(`${event}, large`),
          ratio: ratioOf(times, `${event}, large`, `${event}, small`),
          target: 3,
        })),
      },
      {
        title: 'Hook handlers and their time limit',
        note: `Ratio to ${ALLOWED_MS} ms, in the large store.`,
        rows: EVENTS.map((event) => ({
          name: event,
          milliseconds: milliseconds(`${event}, large`),
          ratio: milliseconds(`${event}, large`) / ALLOWED_MS,
          target: 1,
        })),
      },
    ];
  } finally {
    small.close();
    large.close();
    rmSync(folder, { recursive: true });
  }
}

async function callRepeatedly(database: Database, event: HookEvent): Promise<void> {
  const input = {
    session_id: 's',
    cwd: 'p1',
    prompt: 'continue',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
  };
  for (let call = 0; call < CALLS; call += 1)
    await handleHook(database, { event, input, agent: 'claude-p1' }, ports);
}

/** Stores answers of request ids, none of which is old enough to be deleted. */
async function fillRequests(database: Database, count: number): Promise<void> {
  const at = new Date().toISOString();
  await database.transaction(async (db) => {
    for (let index = 0; index < count; index += 1) {
      const request_id = `r${index}`;
      await db.run(insertRequest, {
        agent: 'filler',
        request_id,
        command: 'push',
        payload: 'x'.repeat(64),
        result: JSON.stringify({ event_id: index }),
        at,
      });
    }
  });
}
