import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/continuity/database/postgres/open-postgres.ts';
import { readEvents } from '../../src/continuity/events/event.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { pushEvent } from '../fixtures/push-events.ts';
import { runWriters } from '../fixtures/postgres-writers.ts';
import { newPostgresUrl } from '../fixtures/store-environment.ts';

const LONG = process.env.DEED_TEST_LONG !== undefined;

const ascending = { ascending: true, includeArchived: true, limit: 1000 } as const;

describe.skipIf(findPostgres() === undefined)('the order of events on Postgres', () => {
  it('never shows an event before one with a lower id that may still be committed', async () => {
    const url = newPostgresUrl();
    const database = openPostgres(url);
    await pushEvent(database, 'a', 'first');
    const { searchParams, username } = new URL(url);
    const slow = new pg.Client({
      host: searchParams.get('host') ?? '',
      user: username,
      database: 'postgres',
      options: `-c search_path=${searchParams.get('schema')}`,
    });
    await slow.connect();
    await slow.query('BEGIN');
    await slow.query('SELECT begin_write(true)');
    await slow.query(
      "INSERT INTO events (kind, agent_name, message, metadata, created_at) VALUES ('progress', 's', 'slow', '{}', '')",
    );
    await pushEvent(database, 'a', 'fast');
    const messages = async (): Promise<string[]> =>
      (await readEvents(database, ascending)).map(({ message }) => message);
    expect(await messages()).toEqual(['first']);
    await slow.query('COMMIT');
    expect(await messages()).toEqual(['first', 'slow', 'fast']);
    await slow.end();
  });

  it(
    'lets a reader with a cursor see every event of 20 concurrent writers once',
    { timeout: 1_800_000 },
    async () => {
      const url = newPostgresUrl();
      const database = openPostgres(url);
      await pushEvent(database, 'reader', 'start');
      const perWriter = LONG ? 5000 : 20;
      const processes = LONG ? 5 : 2;
      const writing = runWriters(url, { processes, writers: 20 / processes, events: perWriter });
      const seen: string[] = [];
      let cursor = 0;
      let isDone = false;
      const ended = writing.finally(() => (isDone = true));
      for (let isLast = false; ; isLast = isDone) {
        const page = await readEvents(database, { ...ascending, sinceId: cursor });
        seen.push(...page.map(({ agent_name, message }) => `${agent_name} ${message}`));
        cursor = Number(page.at(-1)?.id ?? cursor);
        if (isLast && page.length === 0) break;
      }
      expect((await ended).flat()).toEqual([]);
      expect(seen.length).toBe(20 * perWriter + 1);
      expect(new Set(seen).size).toBe(seen.length);
    },
  );
});
