import type { DatabaseSync } from 'node:sqlite';
import type { Database, EventStage, RowStage } from '../database.ts';
import { SqliteEventStage } from './event-stage.ts';
import { createRowStage } from './row-stage.ts';
import { attachScratch, openScratch, type ScratchDatabase } from './scratch-database.ts';
import { sqliteFault } from './sqlite-fault.ts';

/** A separate connection to a store, and the store that uses it. */
export interface OwnConnection {
  readonly path: string;
  readonly connection: DatabaseSync;
  readonly database: Database;
}

/** Stages events for a store of SQLite. */
function openEventStage({ path, connection, database }: OwnConnection): EventStage {
  return withFaults(
    path,
    connection,
    () =>
      new SqliteEventStage(attachScratch(connection, path), path, (work, hints) =>
        database.transaction(work, hints),
      ),
  );
}

/** Stages the rows of an empty store of SQLite. */
function openRowStage({ path, connection, database }: OwnConnection): RowStage {
  return withFaults(path, connection, () => ({
    ...createRowStage(attachScratch(connection, path), path),
    transaction: (work, hints) => database.transaction(work, hints),
    close: () => connection.close(),
  }));
}

/** Stages events for a database that inserts them one by one, or only compares them. */
export function openPrivateStage(path: string, transaction: Database['transaction']): EventStage {
  const scratch: ScratchDatabase = openScratch();
  return withFaults(path, scratch.connection, () => new SqliteEventStage(scratch, path, transaction));
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
export function createStaging(
  path: string,
  transaction: Database['transaction'],
  openOwn: () => OwnConnection,
): Required<Pick<Database, 'stageEvents' | 'stageRows'>> {
  return {
    stageEvents: async (purpose) =>
      purpose === 'compare' ? openPrivateStage(path, transaction) : openEventStage(openOwn()),
    stageRows: async () => openRowStage(openOwn()),
  };
}
