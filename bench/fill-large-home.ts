/**
 * Fills a home with the data of long use, by bulk inserts: node bench/fill-large-home.ts <home> <events> [audit lines] [used tokens]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '../src/continuity/database/sqlite/open-sqlite.ts';
import { fillAudit } from './fill-audit.ts';

/** Events of one year: the newest is from now, the oldest from a year ago. */
const FILL_EVENTS = `
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $events)
  INSERT INTO events (id, kind, agent_name, project_id, task_id, message, metadata, created_at, archived_at)
  SELECT i,
    CASE WHEN i % 10 = 0 THEN 'progress' WHEN i % 10 = 1 THEN 'user_prompt' WHEN i % 100 = 2 THEN 'tool_failure' WHEN i = 7 THEN 'rare_kind' ELSE 'tool_success' END,
    'agent-' || (i % 7), 'p' || (i % 5), CASE WHEN i % 20 = 0 THEN printf('task_%06d', i % 1000) END,
    'Bash: npm test, step ' || i, '{"tool":"Bash","session_id":"6b1e' || (i / 300) || '","ok":true}',
    strftime('%Y-%m-%dT%H:%M:%fZ', $now, '-' || ((365.0 * 86400) * ($events - i) / $events) || ' seconds'), NULL
  FROM n`;

const FILL_MEMORIES = `
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $memories)
  INSERT INTO memories (scope, scope_id, key, value, value_type, kind, pinned, source_agent, event_id, created_at, updated_at, confirmed_at)
  SELECT 'project', 'p' || (i % 5), 'note ' || i, 'The service ' || (i % 97) || ' deploys with option ' || i, 'string', 'fact', 0, 'agent-1', i, $now, $now, $now
  FROM n`;

const INDEX_MEMORIES =
  'INSERT INTO memory_search (rowid, key, value) SELECT id, key, value FROM memories WHERE superseded_at IS NULL';

/** Writes the rows of a store in a few statements; a store of a million events takes about twenty seconds. */
export function fillLargeStore(path: string, events: number, memories = Math.ceil(events / 20)): void {
  openSqlite(path).close();
  const connection = new DatabaseSync(path);
  const now = new Date().toISOString();
  connection.exec('PRAGMA synchronous = OFF; BEGIN');
  connection.prepare(FILL_EVENTS).run({ $events: events, $now: now });
  connection.prepare(FILL_MEMORIES).run({ $memories: memories, $now: now });
  connection.exec(INDEX_MEMORIES);
  connection.exec('COMMIT');
  connection.close();
}

const FILL_TASKS = `
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $tasks)
  INSERT INTO tasks (id, title, description, status, priority, project_id, version, created_at, updated_at)
  SELECT printf('task_%013d', i), 'Task ' || i, 'To do.', CASE WHEN i % 10 = 0 THEN 'pending' ELSE 'completed' END, i % 7, 'p' || (i % 5), 1, $now, $now
  FROM n`;

function fillTasks(path: string, tasks: number): void {
  const connection = new DatabaseSync(path);
  connection.prepare(FILL_TASKS).run({ $tasks: tasks, $now: new Date().toISOString() });
  connection.close();
}

/** Marks of tokens that expired now; they are kept for a day. */
export function fillConsumed(home: string, tokens: number): void {
  const folder = join(home, 'consumed');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const expires = Date.now();
  for (let index = 0; index < tokens; index += 1)
    writeFileSync(join(folder, `${expires}-${index.toString(16).padStart(16, '0')}`), '', { mode: 0o600 });
}

if (import.meta.main) {
  const [home = '', events = '1000', lines = '0', tokens = '0'] = process.argv.slice(2);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const path = join(home, 'deed.db');
  fillLargeStore(path, Number(events));
  fillTasks(path, Math.ceil(Number(events) / 100));
  if (Number(lines) > 0) fillAudit(home, Number(lines));
  fillConsumed(home, Number(tokens));
}
