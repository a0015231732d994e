import type { DatabaseSync } from 'node:sqlite';
import { sqliteFault } from './sqlite-fault.ts';

/** Rewrites the database without free pages, then shortens the file and its log. */
export function vacuum(connection: DatabaseSync, path: string): void {
  try {
    connection.exec('VACUUM');
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    throw sqliteFault(error, path);
  }
}
