import type { Database } from '../../database/database.ts';
import type { EventRow } from '../../events/event.ts';
import type { OnImport } from './on-import.ts';
import { applyMerge } from './apply-merge.ts';
import type { ImportedRows } from './imported-rows.ts';
import { EventMatcher } from './match-events.ts';
import type { MergeReport } from './merge-report.ts';
import { planMerge, type MergeOptions } from './plan-merge.ts';

/** Fewer events are added in less time than it takes to stage them. */
const MIN_STAGED = 1000;

/**
 * Merges rows into a store, completely or not at all. Nearly all rows are events, so a database that can stage them compares and stages
 * them before the transaction: other processes can write meanwhile, and wait only while the rows are added.
 */
export async function mergeRows(
  database: Database,
  rows: ImportedRows,
  options: MergeOptions,
  onRows: OnImport,
): Promise<MergeReport> {
  const { stageEvents } = database;
  if (stageEvents === undefined || rows.events.length < MIN_STAGED)
    return database.transaction(async (db) => {
      const plan = await planMerge(db, rows, options);
      await applyMerge(db, plan);
      return plan.report;
    });
  const matcher = new EventMatcher(rows.events);
  await matcher.follow(database, onRows);
  const candidates = matcher.missing();
  const staged = await stageEvents(candidates, (count) => onRows(count, 'imported'));
  try {
    return await database.transaction(async (db) => {
      const plan = await planMerge(db, rows, options, matcher);
      await applyMerge(db, plan, async (events) => {
        const wanted = new Set(events);
        const known = candidates.flatMap((event, index) => (wanted.has(event) ? [] : [index]));
        return idsOf(candidates, await staged.insert(new Set(known)));
      });
      return plan.report;
    });
  } finally {
    staged.discard();
  }
}

function idsOf(events: readonly EventRow[], idOf: (index: number) => number): ReadonlyMap<number, number> {
  return new Map(events.map(({ id }, index) => [id, idOf(index)]));
}
