import type { Database, QueryRunner } from '../database/database.ts';
import { PROJECT_TABLES, type Reader } from '../database/queries/project-rows.ts';
import type { Values } from '../database/query.ts';
import { PAGE_ROWS } from './export-store.ts';
import { addRow } from './import-store.ts';

/** Copies what an agent of a project may see into an empty store, with the ids of the rows. */
export async function copyProjectRows(from: Database, to: Database, reader: Reader): Promise<void> {
  await from.snapshot((source) =>
    to.transaction(async (target) => {
      for (const tables of PROJECT_TABLES)
        for await (const row of rowsOf(source, tables, reader)) await addRow(target, tables.table, row);
      for (const query of target.afterImport ?? []) await target.all(query, {});
    }),
  );
}

async function* rowsOf(
  db: QueryRunner,
  { first, next }: Pick<(typeof PROJECT_TABLES)[number], 'first' | 'next'>,
  reader: Reader,
): AsyncGenerator<Values> {
  const values = { ...reader, limit: PAGE_ROWS };
  for (let page = await db.all(first, values); ;) {
    yield* page;
    if (page.length < PAGE_ROWS) return;
    page = await db.all(next, { ...page.at(-1), ...values });
  }
}
