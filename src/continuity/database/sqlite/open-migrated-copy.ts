import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorMessage } from '../../../base/error-message.ts';
import { Fault } from '../../../base/fault.ts';
import { applyMigrations } from './migrate-sqlite.ts';

/**
 * Opens a copy of a store with an older schema, migrated to the newest one, for reading: reads must not change the store, and a dry run is a
 * read. The copy is in a private folder and is deleted as soon as it is open. Contract: closes the connection.
 */
export function openMigratedCopy(connection: DatabaseSync, from: number): DatabaseSync {
  const parent = tmpdir();
  try {
    return copyInto(mkdtempSync(join(parent, 'deed-store-')), connection, from);
  } catch (error) {
    const reason = errorMessage(error);
    throw new Fault(
      'E_IO',
      `The store has schema ${from}; its migrated copy cannot be written to ${parent}: ${reason}.`,
      {
        hint: 'Run "deed store upgrade" to migrate the store itself, or set TMPDIR to a folder with enough space.',
        details: { path: parent },
        cause: error,
      },
    );
  } finally {
    connection.close();
  }
}

function copyInto(folder: string, connection: DatabaseSync, from: number): DatabaseSync {
  try {
    const path = join(folder, 'deed.db');
    connection.prepare('VACUUM INTO ?').run(path);
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
