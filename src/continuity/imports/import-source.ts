import type { Database } from '../database/database.ts';
import { readAllLines } from '../../system/read-lines.ts';
import { importStore, isEmptyStore } from '../store/import-store.ts';
import { parseHeader, readExportRows } from '../store/export-lines.ts';
import { mergeRows } from '../store/merge/merge-rows.ts';
import type { MergeReport } from '../store/merge/merge-report.ts';
import { planMerge } from '../store/merge/plan-merge.ts';
import type { OnImport } from '../store/merge/on-import.ts';
import type { ReadVybeTables } from './vybe-tables.ts';
import { assertSource, readSource, type ImportSource } from './read-source.ts';

export interface ImportCall {
  readonly source: ImportSource;
  /** The name of the caller. */
  readonly caller: string;
  readonly at: string;
  readonly readVybeTables: ReadVybeTables;
  readonly onRows?: OnImport | undefined;
}

/** What an import does: copy all rows into an empty store, or merge them. */
export type ImportResult =
  | { readonly kind: 'copied'; readonly rows: number }
  | { readonly kind: 'merged'; readonly report: MergeReport };

/** Describes what an import would do. Contract: reads only. */
export async function previewImport(database: Database, call: ImportCall): Promise<MergeReport | 'copy'> {
  assertSource(call.source);
  if (await isCopied(database, call)) {
    await checkExport(call.source.path, database.schemaVersion);
    return 'copy';
  }
  const rows = await readSource(call.source, { schemaVersion: database.schemaVersion, ...call });
  return (await planMerge(database, rows, optionsOf(call), undefined, call.onRows)).report;
}

/** Throws for an export that cannot be copied, such as a file that was cut off. */
async function checkExport(path: string, schemaVersion: number): Promise<void> {
  const rows = readExportRows(readAllLines(path), schemaVersion);
  while ((await rows.next()).done !== true);
}

/** Imports completely or not at all. */
export async function importSource(database: Database, call: ImportCall): Promise<ImportResult> {
  assertSource(call.source);
  const { onRows = () => undefined } = call;
  if (await isCopied(database, call))
    return {
      kind: 'copied',
      rows: await importStore(database, readAllLines(call.source.path), (count) => onRows(count, 'imported')),
    };
  const rows = await readSource(call.source, { schemaVersion: database.schemaVersion, ...call });
  return { kind: 'merged', report: await mergeRows(database, rows, optionsOf(call), onRows) };
}

/** A complete export is copied into an empty store with all ids, positions of agents and stored answers. */
async function isCopied(database: Database, { source }: ImportCall): Promise<boolean> {
  if (source.format !== 'deed' || !(await isEmptyStore(database))) return false;
  for await (const line of readAllLines(source.path))
    return !parseHeader(line, database.schemaVersion).isPartial;
  return true;
}

function optionsOf({ caller, source }: ImportCall): { caller: string; isForeign: boolean } {
  return { caller, isForeign: source.format !== 'deed' };
}
