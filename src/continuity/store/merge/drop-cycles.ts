import type { DependencyRow } from './imported-rows.ts';
import { compareText } from './match-events.ts';

/** Removes the `blocks` dependencies that close a cycle, the last added ones first, and returns them. */
export function dropCycles(dependencies: Map<string, DependencyRow>): DependencyRow[] {
  const blocking = [...dependencies].filter(([, { kind }]) => kind === 'blocks');
  if (!hasCycle(blocking.map(([, row]) => row))) return [];
  const ordered = blocking.sort(
    ([, left], [, right]) =>
      compareText(left.created_at, right.created_at) ||
      compareText(left.task_id, right.task_id) ||
      compareText(left.depends_on, right.depends_on),
  );
  const blockers = new Map<string, string[]>();
  const dropped: DependencyRow[] = [];
  for (const [pair, row] of ordered) {
    if (row.task_id === row.depends_on || reaches(blockers, row.depends_on, row.task_id)) {
      dependencies.delete(pair);
      dropped.push(row);
    } else blockers.set(row.task_id, [...(blockers.get(row.task_id) ?? []), row.depends_on]);
  }
  return dropped;
}

/** Removes tasks without blockers until none is left; what remains is in or behind a cycle. */
function hasCycle(rows: readonly DependencyRow[]): boolean {
  const open = new Map<string, number>();
  for (const { task_id, depends_on } of rows) {
    open.set(task_id, (open.get(task_id) ?? 0) + 1);
    if (!open.has(depends_on)) open.set(depends_on, 0);
  }
  const dependents = Map.groupBy(rows, ({ depends_on }) => depends_on);
  const free = [...open].filter(([, count]) => count === 0).map(([id]) => id);
  let done = 0;
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    done += 1;
    for (const { task_id } of dependents.get(id) ?? []) {
      const count = (open.get(task_id) ?? 0) - 1;
      open.set(task_id, count);
      if (count === 0) free.push(task_id);
    }
  }
  return done < open.size;
}

function reaches(blockers: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const seen = new Set([from]);
  const waiting = [from];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === to) return true;
    for (const next of blockers.get(id) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  return false;
}
