import { Fault } from '../../base/fault.ts';
import type { Database, QueryRunner, RowBuffer } from '../database/database.ts';
import { insertRow, readPage, EXPORT_TABLES, type ExportTable } from '../database/queries/export-tables.ts';
import type { Query, Values } from '../database/query.ts';
import { invalidLine, readExportRows, type ExportRow } from './export-lines.ts';
import type { OnRows } from './export-store.ts';

/** The reason of the fault for a store that is not empty. */
export const NOT_EMPTY = 'not-empty';

const ROWS_PER_REPORT = 1000;

/** Imports a complete export into an empty store, with all ids, completely or not at all. */
export async function importStore(
  database: Database,
  lines: AsyncIterable<string>,
  onRows: OnRows = () => undefined,
): Promise<number> {
  if (database.bufferRows !== undefined)
    return importBuffered(database, await database.bufferRows(), lines, onRows);
  return database.transaction(async (db) => {
    await assertEmpty(db);
    let rows = 0;
    for await (const row of readExportRows(lines, database.schemaVersion)) {
      await importRow(db, row);
      rows += 1;
      if (rows % ROWS_PER_REPORT === 0) onRows(rows);
    }
    for (const query of db.afterImport ?? []) await db.all(query, {});
    return rows;
  });
}

/** Other processes can read and write while the rows are read and prepared, and wait only while they are added. */
async function importBuffered(
  database: Database,
  buffer: RowBuffer,
  lines: AsyncIterable<string>,
  onRows: OnRows,
): Promise<number> {
  try {
    let [rows, page]: [number, ExportRow[]] = [0, []];
    const flush = (): void => {
      buffer.write((add) => {
        for (const { table, values, line } of page) withLine(line, () => add(table, values));
      });
      rows += page.length;
      page = [];
    };
    for await (const row of readExportRows(lines, database.schemaVersion)) {
      page.push(row);
      if (page.length < ROWS_PER_REPORT) continue;
      flush();
      onRows(rows);
    }
    flush();
    await buffer.prepare();
    await buffer.transaction(async (db) => {
      await assertEmpty(db);
      buffer.insert();
    });
    return rows;
  } finally {
    buffer.close();
  }
}

async function importRow(db: QueryRunner, { table, values, line }: ExportRow): Promise<void> {
  try {
    await addRow(db, table, values);
  } catch (error) {
    throw ofLine(line, error);
  }
}

function withLine(line: number, action: () => void): void {
  try {
    action();
  } catch (error) {
    throw ofLine(line, error);
  }
}

/** A constraint of the schema failed; other faults, such as a full disk, are not caused by the line. */
function ofLine(line: number, error: unknown): unknown {
  if (!(error instanceof Fault && error.code === 'E_UNKNOWN')) return error;
  return invalidLine(line, 'violates a constraint of the schema', error);
}

const INSERTS = new Map(EXPORT_TABLES.map((table) => [table, insertRow(table)]));

/** Adds a row with its own id, and its words to the full-text index. */
export async function addRow(db: QueryRunner, table: ExportTable, values: Values): Promise<void> {
  await db.send(INSERTS.get(table) as Query<Values, unknown>, values);
  if (table.name === 'memories' && values.superseded_at === null && db.fullText) {
    await db.send(db.fullText.add, {
      id: values.id as number,
      key: values.key as string,
      value: values.value as string,
    });
  }
}

export async function isEmptyStore(db: QueryRunner): Promise<boolean> {
  for (const table of EXPORT_TABLES)
    if ((await db.all(readPage(table), { limit: 1 })).length > 0) return false;
  return true;
}

/** Another process may have written to the store since it was found empty. */
async function assertEmpty(db: QueryRunner): Promise<void> {
  if (await isEmptyStore(db)) return;
  throw new Fault('E_CONFLICT', 'The store is no longer empty.', {
    hint: 'Retry: the export is then merged.',
    details: { reason: NOT_EMPTY },
  });
}
