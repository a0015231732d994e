import type { Database } from '../database/database.ts';
import { readPart, WHOLE_TABLES } from '../database/queries/whole-tables.ts';

/** The first line of an export. */
export const EXPORT_FORMAT = { type: 'store', format: 1 } as const;

const PART = 2000;

/**
 * Writes the whole store as lines of JSON: a header, then every row in the order of its key. The same content always gives the
 * same bytes, and importing them gives a store that exports them again.
 */
export async function exportStore(database: Database, write: (line: string) => void): Promise<number> {
  return database.snapshot(async (session) => {
    write(JSON.stringify({ ...EXPORT_FORMAT, schema_version: database.schemaVersion }));
    let rows = 0;
    for (const table of WHOLE_TABLES) {
      const query = readPart(table);
      for (let offset = 0; ; offset += PART) {
        const part = await session.all(query, { limit: PART, offset });
        for (const row of part) write(JSON.stringify({ type: table.name, ...row }));
        rows += part.length;
        if (part.length < PART) break;
      }
    }
    return rows;
  });
}
