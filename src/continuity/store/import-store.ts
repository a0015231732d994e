import { Fault } from '../../base/fault.ts';
import type { Database, QueryRunner } from '../database/database.ts';
import { insertRow, readPage, EXPORT_TABLES, type ExportTable } from '../database/queries/export-tables.ts';
import type { Query, Values } from '../database/query.ts';
import { invalidLine, readExportRows, type ExportRow } from './export-lines.ts';
import type { OnRows } from './export-store.ts';

const ROWS_PER_REPORT = 1000;

/** Imports a complete export into an empty store, with all ids, completely or not at all. */
export async function importStore(
  database: Database,
  lines: AsyncIterable<string>,
  onRows: OnRows = () => undefined,
): Promise<number> {
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

async function importRow(db: QueryRunner, { table, values, line }: ExportRow): Promise<void> {
  try {
    await addRow(db, table, values);
  } catch (error) {
    // A constraint of the schema failed; other faults, such as a full disk, are not caused by the line.
    if (error instanceof Fault && error.code === 'E_UNKNOWN')
      throw invalidLine(line, 'violates a constraint of the schema', error);
    throw error;
  }
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
    details: { reason: 'not-empty' },
  });
}
