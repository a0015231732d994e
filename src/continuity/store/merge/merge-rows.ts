import type { Database } from '../../database/database.ts';
import type { OnImport } from './on-import.ts';
import { applyMerge } from './apply-merge.ts';
import type { ImportedRows } from './imported-rows.ts';
import type { EventMatcher } from './match-events.ts';
import type { MergeReport } from './merge-report.ts';
import { planMerge, type MergeOptions } from './plan-merge.ts';

/**
 * Merges rows into a store, completely or not at all. Nearly all rows are events, so these are compared and prepared before the
 * transaction: other processes can write meanwhile, and wait only while the rows are added.
 */
export async function mergeRows(
  database: Database,
  rows: ImportedRows,
  matcher: EventMatcher,
  options: MergeOptions,
  onRows: OnImport,
): Promise<MergeReport> {
  await matcher.follow(database, onRows);
  await matcher.buffer.prepare((count) => onRows(count, 'imported'));
  return matcher.buffer.transaction(async (db) => {
    const plan = await planMerge(db, rows, matcher, options);
    await applyMerge(db, plan, matcher.buffer);
    return plan.report;
  });
}
