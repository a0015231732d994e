import type { QueryRunner } from '../../database/database.ts';
import type { Values } from '../../database/query.ts';
import { EXPORT_TABLES, readPage, type ExportTable } from '../../database/queries/export-tables.ts';

const PAGE_ROWS = 2000;

/** Reads the rows of a table in the order of its key: all, or those after a row. */
export async function* readTable<T>(
  db: QueryRunner,
  name: ExportTable['name'],
  after?: Values,
): AsyncGenerator<T> {
  const table = EXPORT_TABLES.find((candidate) => candidate.name === name) as ExportTable;
  let page =
    after === undefined
      ? await db.all(readPage(table), { limit: PAGE_ROWS })
      : await db.all(readPage(table, 'after'), { ...after, limit: PAGE_ROWS });
  for (;;) {
    yield* page as T[];
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return;
    page = await db.all(readPage(table, 'after'), { ...last, limit: PAGE_ROWS });
  }
}
