import type { PoolClient } from 'pg';
import type { IntegrityCheckOptions } from '../database.ts';
import { EXPORT_TABLES } from '../queries/export-tables.ts';

/** How many rows at each end of a table a sample reads. */
const SAMPLE_ROWS = 100;

/** What must hold between tables, and a statement that returns a row if it does not. */
const RULES: readonly (readonly [problem: string, sql: string])[] = [
  [
    'the numbers of open dependencies of tasks are wrong',
    `SELECT 1 FROM tasks t WHERE open_dependencies <> (
       SELECT count(*) FROM dependencies d JOIN tasks b ON b.id = d.depends_on
         WHERE d.task_id = t.id AND d.kind = 'blocks' AND b.status <> 'completed') LIMIT 1`,
  ],
  [
    'the counts of tasks are wrong',
    `SELECT 1 FROM (SELECT coalesce(project_id, '') AS project_id, status, count(*) AS total FROM tasks GROUP BY 1, 2) AS found
       FULL JOIN (SELECT * FROM task_counts WHERE total <> 0) AS counted USING (project_id, status)
       WHERE found.total IS DISTINCT FROM counted.total LIMIT 1`,
  ],
  [
    'the search index does not contain exactly the current memories',
    `SELECT 1 FROM (SELECT id FROM memories WHERE superseded_at IS NULL) AS current
       FULL JOIN memory_search ON memory_id = id WHERE id IS NULL OR memory_id IS NULL LIMIT 1`,
  ],
  [
    'an event has a number that has not been assigned',
    'SELECT 1 FROM event_log WHERE id > last_event_id() LIMIT 1',
  ],
];

/**
 * Checks a store and returns the problems found. Postgres guards its pages and references itself; reading every row lets it report a page
 * that is damaged.
 */
export async function checkPostgres(
  client: PoolClient,
  { depth = 'full' }: IntegrityCheckOptions = {},
): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, key } of EXPORT_TABLES) {
    const order = (direction: string): string => key.map((column) => `${column} ${direction}`).join(', ');
    if (depth === 'sample') {
      for (const direction of ['ASC', 'DESC'])
        await client.query(`SELECT * FROM ${name} ORDER BY ${order(direction)} LIMIT ${SAMPLE_ROWS}`);
    } else {
      // The length of each row as text: every value is read, and none is sent.
      await client.query(`SELECT sum(length(t::text)) FROM ${name} AS t`);
    }
  }
  if (depth !== 'full') return problems;
  for (const [problem, sql] of RULES) {
    const { rows } = await client.query(sql);
    if (rows.length > 0) problems.push(problem);
  }
  return problems;
}
