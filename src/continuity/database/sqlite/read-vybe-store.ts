import type { DatabaseSync } from 'node:sqlite';
import type { VybeTables } from '../../imports/vybe-tables.ts';
import { openLockedCopy } from './read-locked-copy.ts';

type Row = Readonly<Record<string, unknown>>;

/** The tables that every version has. */
const REQUIRED = ['tasks', 'events', 'memory'] as const;

/**
 * Reads a store of the Go program vybe from a private copy, so that neither the file nor its log is changed. Returns undefined if the file is
 * not such a store.
 */
export function readVybeTables(path: string): VybeTables | undefined {
  return withCopy(path, (connection) => {
    const tables = namesOf(connection);
    if (!isVybe(tables)) return undefined;
    const all = (name: string, order: string): readonly Row[] =>
      tables.has(name) ? connection.prepare(`SELECT * FROM ${name} ORDER BY ${order}`).all() : [];
    return {
      schemaVersion: versionOf(connection, tables),
      tasks: all('tasks', 'id'),
      dependencies: all('task_dependencies', 'task_id, depends_on_task_id'),
      events: all('events', 'id'),
      memories: all('memory', 'id'),
      artifacts: all('artifacts', 'id'),
    };
  });
}

/** Counts the tasks and memories of a store of the Go program; undefined if the file is not such a store. */
export function countVybeRows(
  path: string,
): { readonly tasks: number; readonly memories: number } | undefined {
  return withCopy(path, (connection) => {
    if (!isVybe(namesOf(connection))) return undefined;
    const count = (table: string): number =>
      Number(connection.prepare(`SELECT count(*) AS total FROM ${table}`).get()?.['total']);
    return { tasks: count('tasks'), memories: count('memory') };
  });
}

function withCopy<T>(path: string, read: (connection: DatabaseSync) => T | undefined): T | undefined {
  const copy = openLockedCopy(path);
  if (copy === undefined) return undefined;
  try {
    return read(copy.connection);
  } catch (error) {
    // Not a database, or a damaged one.
    if (error instanceof Error && 'errcode' in error) return undefined;
    throw error;
  } finally {
    copy.connection.close();
    copy.remove();
  }
}

function namesOf(connection: DatabaseSync): ReadonlySet<string> {
  return new Set(
    connection
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name)),
  );
}

/** A store of deed has the table "memories" instead. */
function isVybe(tables: ReadonlySet<string>): boolean {
  return REQUIRED.every((name) => tables.has(name));
}

function versionOf(connection: DatabaseSync, tables: ReadonlySet<string>): number {
  if (!tables.has('goose_db_version')) return 0;
  const row = connection.prepare('SELECT max(version_id) AS version FROM goose_db_version').get();
  return Number(row?.['version'] ?? 0);
}
