import { Fault } from '../../base/fault.ts';
import type { Database } from '../database/database.ts';
import type { EventRow } from '../events/event.ts';
import { bufferEvents } from '../database/open-store.ts';
import { readAllLines } from '../../system/read-lines.ts';
import { importStore, isEmptyStore, NOT_EMPTY } from '../store/import-store.ts';
import { parseHeader, readExportRows } from '../store/export-lines.ts';
import { EventMatcher } from '../store/merge/match-events.ts';
import type { ImportedRows } from '../store/merge/imported-rows.ts';
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
  return withEvents(database, 'compare', call, async (rows, matcher) => {
    const { report } = await planMerge(database, rows, matcher, optionsOf(call), call.onRows);
    return report;
  });
}

/** Throws for an export that cannot be copied, such as a file that was cut off. */
async function checkExport(path: string, schemaVersion: number): Promise<void> {
  const rows = readExportRows(readAllLines(path), schemaVersion);
  while ((await rows.next()).done !== true);
}

/** Imports completely or not at all. If another process writes to the store while an export is copied, the export is merged instead. */
export async function importSource(database: Database, call: ImportCall): Promise<ImportResult> {
  assertSource(call.source);
  const { onRows = () => undefined } = call;
  if (await isCopied(database, call)) {
    const rows = await copyUnlessChanged(database, call, onRows);
    if (rows !== undefined) return { kind: 'copied', rows };
  }
  const report = await withEvents(database, 'insert', call, (rows, matcher) =>
    mergeRows(database, rows, matcher, optionsOf(call), onRows),
  );
  return { kind: 'merged', report };
}

/** Undefined if the store is no longer empty. */
async function copyUnlessChanged(
  database: Database,
  { source }: ImportCall,
  onRows: OnImport,
): Promise<number | undefined> {
  try {
    return await importStore(database, readAllLines(source.path), (count) => onRows(count, 'imported'));
  } catch (error) {
    if (error instanceof Fault && error.details['reason'] === NOT_EMPTY) return undefined;
    throw error;
  }
}

async function withEvents<T>(
  database: Database,
  purpose: 'compare' | 'insert',
  call: ImportCall,
  work: (rows: ImportedRows, matcher: EventMatcher) => Promise<T>,
): Promise<T> {
  const buffer = await bufferEvents(database, purpose);
  try {
    const matcher = new EventMatcher(buffer);
    const onEvent = (event: EventRow): void => matcher.add(event);
    const { schemaVersion } = database;
    return await work(await readSource(call.source, { schemaVersion, ...call, onEvent }), matcher);
  } finally {
    buffer.close();
  }
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
