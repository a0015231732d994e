import type { DatabaseSync } from 'node:sqlite';
import type { StagedEvent, StagedEvents } from '../database.ts';
import { sqliteFault } from './sqlite-fault.ts';

const COLUMNS = [
  'kind',
  'agent_name',
  'project_id',
  'task_id',
  'message',
  'metadata',
  'created_at',
  'archived_at',
] as const;
const NAMES = COLUMNS.join(', ');
/** Statements block the thread, so signals and progress need breaks. */
const ROWS_PER_BREAK = 5000;

/**
 * Writes events to a temporary table, which only this connection sees and which takes no lock of the store. One statement then adds all of them:
 * for a million in five seconds of processor time.
 */
export async function stageEvents(
  connection: DatabaseSync,
  path: string,
  events: readonly StagedEvent[],
  onRows: (rows: number) => void,
): Promise<StagedEvents> {
  const attempt = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw sqliteFault(error, path);
    }
  };
  attempt(() =>
    connection.exec(
      `DROP TABLE IF EXISTS temp.staged_events; CREATE TEMP TABLE staged_events (position INTEGER PRIMARY KEY, ${NAMES})`,
    ),
  );
  const insert = attempt(() =>
    connection.prepare(
      `INSERT INTO temp.staged_events (position, ${NAMES}) VALUES (?, ${COLUMNS.map(() => '?').join(', ')})`,
    ),
  );
  for (let start = 0; start < events.length; start += ROWS_PER_BREAK) {
    const batch = events.slice(start, start + ROWS_PER_BREAK);
    attempt(() => {
      connection.exec('SAVEPOINT staging');
      for (const [index, event] of batch.entries())
        insert.run(start + index + 1, ...COLUMNS.map((column) => event[column]));
      connection.exec('RELEASE staging');
    });
    onRows(start + batch.length);
    await new Promise(setImmediate);
  }
  return {
    insert: async (without) =>
      attempt(() => {
        const remove = connection.prepare('DELETE FROM temp.staged_events WHERE position = ?');
        for (const index of without) remove.run(index + 1);
        const last = connection.prepare('SELECT coalesce(max(id), 0) AS id FROM main.events').get();
        const before = Number(last?.['id']);
        connection
          .prepare(
            `INSERT INTO main.events (id, ${NAMES}) SELECT ? + position, ${NAMES} FROM temp.staged_events ORDER BY position`,
          )
          .run(before);
        return (index) => before + index + 1;
      }),
    discard: () => attempt(() => connection.exec('DROP TABLE IF EXISTS temp.staged_events')),
  };
}
