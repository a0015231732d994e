import type { Database } from '../database/database.ts';
import { PROJECT_TABLES, type Reader } from '../database/queries/project-rows.ts';
import { PAGE_ROWS } from './export-store.ts';
import { addRow } from './import-store.ts';

/** Copies what an agent of a project may see into an empty store, with the ids of the rows. */
export async function copyProjectRows(from: Database, to: Database, reader: Reader): Promise<void> {
  const values = { ...reader, limit: PAGE_ROWS };
  await from.snapshot(async (source) => {
    // Requested together, because most projects have one page of each table.
    const pages = await Promise.all(PROJECT_TABLES.map(({ first }) => source.all(first, values)));
    await to.transaction(async (target) => {
      for (const [index, { table, next }] of PROJECT_TABLES.entries())
        for (let page = pages[index] ?? []; page.length > 0;) {
          for (const row of page) await addRow(target, table, row);
          page = page.length < PAGE_ROWS ? [] : await source.all(next, { ...page.at(-1), ...values });
        }
      for (const query of target.afterImport ?? []) await target.all(query, {});
    });
  });
}
