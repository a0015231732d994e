import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomHex } from '../src/base/ids.ts';
import type { Database } from '../src/continuity/database/database.ts';
import { insertRequest } from '../src/continuity/database/queries/requests.ts';
import { openSqlite } from '../src/continuity/database/sqlite/open-sqlite.ts';
import { handleHook, type HookEvent } from '../src/continuity/hooks/handle-hook.ts';
import { fillStore, GROWN, YOUNG } from './fill-store.ts';
import { measure, medianOf, ratioOf } from './measure.ts';
import type { Report } from './report.ts';

const EVENTS: readonly HookEvent[] = ['session-start', 'prompt', 'tool-success', 'checkpoint'];
const CALLS = 10;
/** What a handler may take of its host's time, the start of the process aside. */
const ALLOWED_MS = 100;
const ports = { now: Date.now, randomHex, describeFile: () => Promise.resolve(undefined) };

/** Whether the handlers of hooks keep their promise to the host, and keep it when the store has grown. */
export async function continuityHooks(): Promise<readonly Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  const young = openSqlite(join(folder, 'young.db'));
  const grown = openSqlite(join(folder, 'grown.db'));
  try {
    await fillStore(young, YOUNG);
    await fillStore(grown, GROWN);
    await fillRequests(young, YOUNG.events);
    await fillRequests(grown, GROWN.events);
    const cases = EVENTS.flatMap((event) => [
      { name: `${event}, young`, run: () => callOften(young, event) },
      { name: `${event}, grown`, run: () => callOften(grown, event) },
    ]);
    const times = await measure(cases, 9);
    const milliseconds = (name: string): number => medianOf(times, name) / CALLS;
    return [
      {
        title: 'Hook handlers in a store that has grown',
        note: 'Ratio to a store with 100 tasks, events and answers instead of 10,000, 100,000 and 100,000.',
        rows: EVENTS.map((event) => ({
          name: event,
          milliseconds: milliseconds(`${event}, grown`),
          ratio: ratioOf(times, `${event}, grown`, `${event}, young`),
          target: 3,
        })),
      },
      {
        title: 'Hook handlers and what they may take',
        note: `Ratio to ${ALLOWED_MS} ms, in the store that has grown.`,
        rows: EVENTS.map((event) => ({
          name: event,
          milliseconds: milliseconds(`${event}, grown`),
          ratio: milliseconds(`${event}, grown`) / ALLOWED_MS,
          target: 1,
        })),
      },
    ];
  } finally {
    young.close();
    grown.close();
    rmSync(folder, { recursive: true });
  }
}

async function callOften(database: Database, event: HookEvent): Promise<void> {
  const input = {
    session_id: 's',
    cwd: 'p1',
    prompt: 'go on',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
  };
  for (let call = 0; call < CALLS; call += 1)
    await handleHook(database, { event, input, agent: 'claude-p1' }, ports);
}

/** Answers that are kept for retries; none is old enough to go. */
async function fillRequests(database: Database, count: number): Promise<void> {
  const at = new Date().toISOString();
  await database.transaction(async (session) => {
    for (let index = 0; index < count; index += 1) {
      const request_id = `r${index}`;
      await session.run(insertRequest, {
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
