import type { Database } from '../database/database.ts';
import { readPage, EXPORT_TABLES } from '../database/queries/export-tables.ts';

/** The first line of an export. */
export const EXPORT_FORMAT = { type: 'store', format: 1 } as const;

const PAGE_ROWS = 2000;

/**
 * Writes the whole store as lines of JSON: a header, then all rows in the order of their keys. The output is deterministic, and an
 * imported export exports to the same bytes.
 */
export async function exportStore(database: Database, write: (line: string) => void): Promise<number> {
  return database.snapshot(async (session) => {
    write(JSON.stringify({ ...EXPORT_FORMAT, schema_version: database.schemaVersion }));
    let rows = 0;
    for (const table of EXPORT_TABLES) {
      const query = readPage(table);
      for (let offset = 0; ; offset += PAGE_ROWS) {
        const page = await session.all(query, { limit: PAGE_ROWS, offset });
        for (const row of page) write(JSON.stringify({ type: table.name, ...row }));
        rows += page.length;
        if (page.length < PAGE_ROWS) break;
      }
    }
    return rows;
  });
}
