import type { DatabaseSync } from 'node:sqlite';

/** The id of the last event; 0 if there is none. */
export function readLastEvent(connection: DatabaseSync): number {
  const row = connection.prepare('SELECT max(id) AS id FROM events').get();
  return Number(row?.['id'] ?? 0);
}
