import pg from 'pg';
import { expect, it } from 'vitest';
import { openPostgres } from '../../src/continuity/database/postgres/open-postgres.ts';
import {
  POSTGRES_MIGRATIONS,
  POSTGRES_SCHEMA_VERSION,
} from '../../src/continuity/database/postgres/postgres-migrations.ts';
import { readEvents } from '../../src/continuity/events/event.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { pushEvent } from '../fixtures/push-events.ts';
import { newPostgresUrl } from '../fixtures/store-environment.ts';

it.skipIf(findPostgres() === undefined)('a store of an earlier schema on Postgres is migrated', async () => {
  const url = newPostgresUrl();
  const { searchParams, username } = new URL(url);
  const schema = searchParams.get('schema') ?? '';
  const client = new pg.Client({
    host: searchParams.get('host') ?? '',
    user: username,
    database: 'postgres',
    options: `-c search_path=${schema}`,
  });
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}`);
  for (const statement of POSTGRES_MIGRATIONS[0] ?? []) await client.query(statement);
  const earlier = POSTGRES_SCHEMA_VERSION - POSTGRES_MIGRATIONS.length + 1;
  await client.query(`INSERT INTO store_schema VALUES (${earlier})`);

  const database = openPostgres(url);
  await pushEvent(database, 'a', 'first');
  expect(await readEvents(database, { ascending: true, includeArchived: true, limit: 5 })).toHaveLength(1);
  database.close();
  const { rows } = await client.query('SELECT version::int FROM store_schema');
  expect(rows).toEqual([{ version: POSTGRES_SCHEMA_VERSION }]);
  const indexes = await client.query(
    "SELECT indexname FROM pg_indexes WHERE schemaname = $1 AND indexname LIKE 'events_pro%'",
    [schema],
  );
  expect(indexes.rows.map(({ indexname }) => indexname as string).toSorted()).toEqual([
    'events_project',
    'events_project_kind',
  ]);
  await client.end();
});
