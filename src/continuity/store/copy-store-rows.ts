import type { Database } from '../database/database.ts';
import { readExportPages, type OnRows } from './export-store.ts';
import { importStore } from './import-store.ts';

/** Copies all rows of a store, with their ids, into an empty store of any database. Returns their number. */
export function copyStoreRows(from: Database, to: Database, onRows?: OnRows): Promise<number> {
  return from.snapshot((db) => importStore(to, linesOf(readExportPages(db, from.schemaVersion)), onRows));
}

async function* linesOf(pages: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const page of pages) yield* page;
}
