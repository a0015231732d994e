import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { errorMessage } from '../../../base/error-message.ts';
import type { IntegrityCheckOptions } from '../database.ts';
import { describeLoss } from '../lost-writes.ts';
import { readLastEvent } from './read-last-event.ts';
import { sqliteFault } from './sqlite-fault.ts';

/** A store of this size is checked in a fraction of a second, without progress. */
const QUIET_BYTES = 16 * 1024 * 1024;

/** How many rows at each end of a table a sample reads. */
const SAMPLE_ROWS = 100;

/** Checks a database and returns the problems found. `known` is the last write that is known to have been stored. */
export function checkIntegrity(
  connection: DatabaseSync,
  path: string,
  { depth = 'full', known, onProgress }: IntegrityCheckOptions & { readonly known: number },
): string[] {
  try {
    const loss = describeLoss(known, readLastEvent(connection));
    if (loss !== undefined) return [loss];
    if (depth === 'sample') return readSamples(connection);
    // Before the first write there is no file, and the store is an empty one in memory.
    const isLarge = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > QUIET_BYTES;
    const report = (message: string): void => (isLarge ? onProgress?.(message) : undefined);
    report(`Checking the pages of ${path}.`);
    const problems = runCheck(connection, 'PRAGMA quick_check(100)');
    if (depth === 'quick' || problems.length > 0) return problems;
    const tables = tablesOf(connection);
    for (const [index, { name }] of tables.entries()) {
      report(`Checking table ${index + 1} of ${tables.length}: ${name}.`);
      problems.push(...runCheck(connection, `PRAGMA integrity_check(${quote(name)})`));
    }
    report('Checking references between tables.');
    return [...problems, ...findOrphans(connection)];
  } catch (error) {
    const fault = sqliteFault(error, path);
    return [errorMessage(fault)];
  }
}

/** Reads the schema and both ends of each table; the cost does not depend on the size of the store. */
function readSamples(connection: DatabaseSync): string[] {
  for (const { name, hasRowId } of tablesOf(connection)) {
    const rows = `SELECT * FROM ${quote(name)}`;
    connection.prepare(`${rows} LIMIT ${SAMPLE_ROWS}`).all();
    if (hasRowId) connection.prepare(`${rows} ORDER BY rowid DESC LIMIT ${SAMPLE_ROWS}`).all();
  }
  return [];
}

function tablesOf(
  connection: DatabaseSync,
): readonly { readonly name: string; readonly hasRowId: boolean }[] {
  return connection
    .prepare(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type <> 'virtual' ORDER BY name",
    )
    .all()
    .map(({ name, wr }) => ({ name: String(name), hasRowId: wr === 0 }));
}

function runCheck(connection: DatabaseSync, pragma: string): string[] {
  return connection
    .prepare(pragma)
    .all()
    .map((row) => String(Object.values(row)[0]))
    .filter((line) => line !== 'ok');
}

function findOrphans(connection: DatabaseSync): string[] {
  return connection
    .prepare('PRAGMA foreign_key_check')
    .all()
    .map(
      (row) =>
        `row ${String(row.rowid)} of ${String(row.table)} references a missing row of ${String(row.parent)}`,
    );
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
