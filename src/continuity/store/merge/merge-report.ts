import type { Remark } from './imported-rows.ts';

export const MERGED_RESOURCES = ['tasks', 'dependencies', 'events', 'memories', 'artifacts'] as const;
export type MergedResource = (typeof MERGED_RESOURCES)[number];
export type RowCounts = Readonly<Record<MergedResource, number>>;

/** What an import did, or would do. */
export interface MergeReport {
  /** Rows that this store did not have. */
  readonly imported: RowCounts;
  /** Rows of this store that changed. */
  readonly changed: RowCounts;
  /** Rows that this store already has in the same or a newer state. */
  readonly unchanged: RowCounts;
  /** What was left out, with the reason. */
  readonly skipped: readonly Remark[];
  /** What was changed to fit this store. */
  readonly adjusted: readonly Remark[];
  /** What both sides changed, and which change is kept. */
  readonly conflicts: readonly Remark[];
}

/** Counts while a merge is planned. */
export class MergeCounter {
  readonly imported = zero();
  readonly changed = zero();
  readonly unchanged = zero();
  readonly skipped: Remark[];
  readonly adjusted: readonly Remark[];
  readonly conflicts: Remark[] = [];

  constructor({ skipped, adjusted }: Pick<MergeReport, 'skipped' | 'adjusted'>) {
    this.skipped = [...skipped];
    this.adjusted = adjusted;
  }

  skip(resource: string, id: string, reason: string): void {
    this.skipped.push({ resource, id, reason });
  }

  conflict(resource: string, id: string, reason: string): void {
    this.conflicts.push({ resource, id, reason });
  }
}

/** The number of rows that are written. */
export function writtenRows({ imported, changed }: MergeReport): number {
  return [imported, changed].flatMap((counts) => Object.values(counts)).reduce((sum, rows) => sum + rows, 0);
}

function zero(): Record<MergedResource, number> {
  return { tasks: 0, dependencies: 0, events: 0, memories: 0, artifacts: 0 };
}
