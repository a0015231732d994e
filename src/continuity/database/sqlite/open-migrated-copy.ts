import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { applyMigrations } from './migrate-sqlite.ts';

/**
 * Opens a copy of a store with an older schema, migrated to the newest one, for reading: reads must not change the store, and a dry run is a
 * read. The copy is in a private folder and is deleted as soon as it is open. Contract: closes the connection.
 */
export function openMigratedCopy(connection: DatabaseSync, from: number): DatabaseSync {
  const folder = mkdtempSync(join(tmpdir(), 'deed-store-'));
  try {
    const path = join(folder, 'deed.db');
    try {
      connection.prepare('VACUUM INTO ?').run(path);
    } finally {
      connection.close();
    }
    const copy = new DatabaseSync(path, { enableForeignKeyConstraints: true });
    // The journal is kept in memory, because the folder is deleted.
    copy.exec('PRAGMA journal_mode = MEMORY; BEGIN');
    applyMigrations(copy, from);
    copy.exec('COMMIT; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON');
    return copy;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
