import { existsSync } from 'node:fs';
import { readLastEvent } from './read-last-event.ts';
import { readStoreFile } from './read-store-file.ts';
import { primaryCode, SQLITE, sqliteFault } from './sqlite-fault.ts';

/** Columns that do not change while a row exists; a task changes only with its version. */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  events: ['kind', 'agent_name', 'project_id', 'task_id', 'message', 'metadata', 'created_at'],
  memories: ['scope', 'scope_id', 'key', 'value', 'value_type', 'source_agent', 'created_at'],
  tasks: ['title', 'description', 'status', 'priority', 'project_id', 'created_at', 'updated_at'],
};

const MAX_DIFFERENCES = 10;

/**
 * Compares a store with an earlier copy of it and lists rows whose content changed although no write changes it: damage that SQLite
 * cannot notice, because the structure of the file is intact. Rows that only one of them has are not compared. The name of the copy is for
 * people.
 */
export function compareCopies(path: string, copy: string, name = copy): string[] {
  try {
    return readStoreFile(path, (connection) => {
      connection.prepare('ATTACH ? AS copy').run(copy);
      return Object.entries(FIXED).flatMap(([table, columns]) => {
        const differs = columns.map((column) => `now.${column} IS NOT old.${column}`).join(' OR ');
        const sameVersion = table === 'tasks' ? 'now.version = old.version AND' : '';
        return connection
          .prepare(
            `SELECT now.id AS id FROM copy.${table} AS old JOIN main.${table} AS now ON now.id = old.id
               WHERE ${sameVersion} (${differs}) LIMIT ${MAX_DIFFERENCES}`,
          )
          .all()
          .map(({ id }) => `row ${String(id)} of ${table} differs from the backup ${name}`);
      });
    });
  } catch (error) {
    // A copy of another schema cannot be compared.
    if (primaryCode(error) === SQLITE.error) return [];
    throw sqliteFault(error, path);
  }
}

export interface StoreExtent {
  readonly lastEvent: number;
  /** The time of the last event; null if there is none. */
  readonly lastWriteAt: string | null;
}

/** Reads how far a store reaches; undefined if it does not exist or cannot be read. */
export function readExtent(path: string): StoreExtent | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return readStoreFile(path, (connection) => {
      const lastEvent = readLastEvent(connection);
      const row = connection.prepare('SELECT created_at AS at FROM events WHERE id = ?').get(lastEvent);
      return { lastEvent, lastWriteAt: row === undefined ? null : String(row['at']) };
    });
  } catch {
    return undefined;
  }
}
