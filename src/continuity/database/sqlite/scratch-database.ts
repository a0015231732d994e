import { closeSync, openSync, unlinkSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { randomHex } from '../../../base/ids.ts';

/** A database on disk that only one connection can read, for what an import prepares. It is deleted when the process ends or is killed. */
export interface ScratchDatabase {
  readonly connection: DatabaseSync;
  /** Its name on this connection. */
  readonly schema: string;
}

/** The journal is in memory, because nothing needs it after a crash; the cache bounds the memory of an import. */
const pragmas = (schema: string): string =>
  ['journal_mode = MEMORY', 'synchronous = OFF', 'cache_size = -16384']
    .map((setting) => `PRAGMA ${schema}.${setting}`)
    .join('; ');

/** Opens a scratch database in the temporary folder of the machine. */
export function openScratch(): ScratchDatabase {
  const connection = new DatabaseSync('');
  connection.exec(pragmas('main'));
  return { connection, schema: 'main' };
}

/**
 * Attaches a scratch database to a connection of a store, so that one statement copies its rows. It is on the disk of the store; its file is
 * unlinked at once, while it is empty, so a process that is killed leaves nothing. Contract: only an import uses this connection, because each
 * transaction of it locks the scratch database as well.
 */
export function attachScratch(connection: DatabaseSync, storePath: string): ScratchDatabase {
  const path = `${storePath}-import-${randomHex(8)}`;
  closeSync(openSync(path, 'wx', 0o600));
  try {
    connection.prepare('ATTACH ? AS scratch').run(path);
    // A first write, because SQLite opens a file only then.
    connection.exec(`${pragmas('scratch')}; CREATE TABLE scratch.opened (at INTEGER)`);
    return { connection, schema: 'scratch' };
  } finally {
    unlinkSync(path);
  }
}

/** Copies the definition of a table of a store, without its indexes, and returns the statements that create those. */
export function copyDefinition({ connection, schema }: ScratchDatabase, table: string): IndexDefinition[] {
  const definitions = connection
    .prepare('SELECT type, sql FROM main.sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL')
    .all(table) as unknown as { type: string; sql: string }[];
  for (const { sql } of definitions.filter(({ type }) => type === 'table'))
    connection.exec(sql.replace(/^CREATE TABLE /iu, `CREATE TABLE ${schema}.`));
  return definitions
    .filter(({ type }) => type === 'index')
    .map(({ sql }) => ({
      sql: sql.replace(/^CREATE (UNIQUE )?INDEX /iu, `CREATE $1INDEX ${schema}.`),
      isUnique: /^CREATE UNIQUE /iu.test(sql),
    }));
}

export interface IndexDefinition {
  readonly sql: string;
  readonly isUnique: boolean;
}

/** Memory for the pages of the store while an import adds its rows; less makes the transaction longer. */
const INSERT_CACHE_KIB = 65_536;

/**
 * Copies a table of a scratch database to the store. If both have the same indexes, SQLite copies the entries of each index in its order instead of
 * computing them row by row, which makes the transaction several times shorter.
 */
export function copyTable({ connection, schema }: ScratchDatabase, table: string): void {
  connection.exec(
    `PRAGMA main.cache_size = -${INSERT_CACHE_KIB}; INSERT INTO main.${table} SELECT * FROM ${schema}.${table}`,
  );
}
