import type { QueryRunner } from '../../database/database.ts';
import { listRemovals } from '../../database/queries/merge.ts';
import { dropCycles } from './drop-cycles.ts';
import type { DependencyRow, ImportedRows } from './imported-rows.ts';
import type { MergeCounter } from './merge-report.ts';
import { compareText, type DecisiveEvent } from './match-events.ts';
import { readTable } from './read-table.ts';

export interface DependencyChanges {
  readonly inserts: DependencyRow[];
  readonly deletions: DependencyRow[];
}

/**
 * Merges dependencies: keeps the dependencies of both sides, except those that one side removed after the other side had added them. If
 * both sides together form a cycle, its last dependency is dropped; both sides drop the same dependency.
 */
export async function mergeDependencies(
  db: QueryRunner,
  rows: ImportedRows,
  newLog: readonly DecisiveEvent[],
  hasTask: (id: string) => boolean,
  counter: MergeCounter,
): Promise<DependencyChanges> {
  const ours = new Map<string, DependencyRow>();
  for await (const row of readTable<DependencyRow>(db, 'dependencies')) ours.set(pairOf(row), row);
  const wanted = new Map([...ours].filter(([, row]) => hasTask(row.task_id) && hasTask(row.depends_on)));
  for (const row of rows.dependencies) {
    const known = wanted.get(pairOf(row));
    const id = `${row.task_id} → ${row.depends_on}`;
    if (known !== undefined) wanted.set(pairOf(row), laterOf(known, row));
    else if (!hasTask(row.task_id) || !hasTask(row.depends_on))
      counter.skip('dependency', id, 'this store does not have one of the tasks');
    else if (await isRemoved(db, row)) counter.skip('dependency', id, 'it was removed here');
    else wanted.set(pairOf(row), row);
  }
  const given = new Set(rows.dependencies.map(pairOf));
  for (const event of newLog.filter(({ kind }) => kind === 'task_dependency_removed')) {
    const pair = pairOf({ task_id: event.task_id ?? '', depends_on: removedFrom(event.metadata) });
    const known = wanted.get(pair);
    if (known !== undefined && !given.has(pair) && known.created_at <= event.created_at) wanted.delete(pair);
  }
  for (const { task_id, depends_on } of dropCycles(wanted))
    counter.conflict(
      'dependency',
      `${task_id} → ${depends_on}`,
      'both sides together form a cycle: the last dependency of it is dropped',
    );
  const isKept = (row: DependencyRow): boolean => isSame(row, wanted.get(pairOf(row)));
  const inserts = [...wanted.values()].filter((row) => !isSame(row, ours.get(pairOf(row))));
  const deletions = [...ours.values()].filter((row) => !isKept(row));
  const replaced = inserts.filter((row) => ours.has(pairOf(row))).length;
  counter.imported.dependencies += inserts.length - replaced;
  counter.changed.dependencies += deletions.length;
  counter.unchanged.dependencies += rows.dependencies.filter(
    (row) => ours.has(pairOf(row)) && isKept(row),
  ).length;
  return { inserts, deletions };
}

function laterOf(left: DependencyRow, right: DependencyRow): DependencyRow {
  const order = compareText(left.created_at, right.created_at) || compareText(left.kind, right.kind);
  return order >= 0 ? left : right;
}

function isSame(left: DependencyRow, right: DependencyRow | undefined): boolean {
  return left.kind === right?.kind && left.created_at === right.created_at;
}

async function isRemoved(db: QueryRunner, row: DependencyRow): Promise<boolean> {
  const removals = await db.all(listRemovals, { task_id: row.task_id });
  return removals.some(
    ({ metadata, created_at }) => removedFrom(metadata) === row.depends_on && created_at >= row.created_at,
  );
}

function removedFrom(metadata: string): string {
  const { depends_on } = JSON.parse(metadata) as { depends_on?: unknown };
  return typeof depends_on === 'string' ? depends_on : '';
}

export function pairOf({ task_id, depends_on }: Pick<DependencyRow, 'task_id' | 'depends_on'>): string {
  return JSON.stringify([task_id, depends_on]);
}
