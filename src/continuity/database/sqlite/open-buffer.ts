import type { DatabaseSync } from 'node:sqlite';
import type { Database, EventBuffer, RowBuffer } from '../database.ts';
import { SqliteEventBuffer } from './event-buffer.ts';
import { createRowBuffer } from './row-buffer.ts';
import { attachScratch, openScratch, type ScratchDatabase } from './scratch-database.ts';
import { sqliteFault } from './sqlite-fault.ts';

/** A separate connection to a store, and the store that uses it. */
export interface OwnConnection {
  readonly path: string;
  readonly connection: DatabaseSync;
  readonly database: Database;
}

/** Buffers events for a store of SQLite. */
function openEventBuffer({ path, connection, database }: OwnConnection): EventBuffer {
  return withFaults(
    path,
    connection,
    () =>
      new SqliteEventBuffer(attachScratch(connection, path), path, (work, hints) =>
        database.transaction(work, hints),
      ),
  );
}

/** Buffers the rows of an empty store of SQLite. */
function openRowBuffer({ path, connection, database }: OwnConnection): RowBuffer {
  return withFaults(path, connection, () => ({
    ...createRowBuffer(attachScratch(connection, path), path),
    transaction: (work, hints) => database.transaction(work, hints),
    close: () => connection.close(),
  }));
}

/** Buffers events for a database that inserts them one by one, or only compares them. */
export function openPrivateBuffer(path: string, transaction: Database['transaction']): EventBuffer {
  const scratch: ScratchDatabase = openScratch();
  return withFaults(path, scratch.connection, () => new SqliteEventBuffer(scratch, path, transaction));
}

function withFaults<T>(path: string, connection: DatabaseSync, action: () => T): T {
  try {
    return action();
  } catch (error) {
    connection.close();
    throw sqliteFault(error, path);
  }
}

/** What a store of SQLite offers imports; they use a separate connection. */
export function createBuffers(
  path: string,
  transaction: Database['transaction'],
  openOwn: () => OwnConnection,
): Required<Pick<Database, 'bufferEvents' | 'bufferRows'>> {
  return {
    bufferEvents: async (purpose) =>
      purpose === 'compare' ? openPrivateBuffer(path, transaction) : openEventBuffer(openOwn()),
    bufferRows: async () => openRowBuffer(openOwn()),
  };
}
