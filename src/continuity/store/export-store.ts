import type { Database } from '../database/database.ts';
import { readPage, EXPORT_TABLES } from '../database/queries/export-tables.ts';

/** The first line of an export. */
export const EXPORT_FORMAT = { type: 'store', format: 1 } as const;

const PAGE_ROWS = 2000;

/** Called now and then with the number of rows so far. */
export type OnRows = (rows: number) => void;

/**
 * Writes the whole store as lines of JSON: a header, then all rows in the order of their keys. The output is deterministic, and an
 * imported export exports to the same bytes.
 */
export async function exportStore(
  database: Database,
  write: (line: string) => void,
  onRows: OnRows = () => undefined,
): Promise<number> {
  return database.snapshot(async (session) => {
    write(JSON.stringify({ ...EXPORT_FORMAT, schema_version: database.schemaVersion }));
    let rows = 0;
    for (const table of EXPORT_TABLES) {
      const next = readPage(table, 'after');
      let page = await session.all(readPage(table), { limit: PAGE_ROWS });
      for (;;) {
        for (const row of page) write(JSON.stringify({ type: table.name, ...row }));
        rows += page.length;
        onRows(rows);
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE_ROWS) break;
        page = await session.all(next, { ...last, limit: PAGE_ROWS });
      }
    }
    return rows;
  });
}
