import type { QueryRunner } from '../../database/database.ts';
import { memoryHistory } from '../../database/queries/memories.ts';
import type { MemoryRow } from '../../memory/memory.ts';
import { compareText } from './match-events.ts';
import { orderVersions, versionKey, type MemoryVersion } from './memory-timeline.ts';
import type { MergeCounter } from './merge-report.ts';

const ALL_VERSIONS = 1_000_000;

/** The versions of one key that are inserted or updated, in the order of their time. */
export interface KeyChange {
  readonly versions: readonly (MemoryVersion & { readonly isNew: boolean; readonly isChanged: boolean })[];
}

/** Merges memories, key by key: all versions of both sides are kept, and the last one is current. */
export async function mergeMemories(
  db: QueryRunner,
  memories: readonly MemoryRow[],
  counter: MergeCounter,
): Promise<KeyChange[]> {
  const changes: KeyChange[] = [];
  for (const group of Map.groupBy(memories, locationOf).values()) {
    const [{ scope, scope_id, key }] = group as [MemoryRow, ...MemoryRow[]];
    const ours = await db.all(memoryHistory, { scope, scope_id, key, limit: ALL_VERSIONS });
    const change = mergeKey(ours, group, counter);
    if (change.versions.some(({ isNew, isChanged }) => isNew || isChanged)) changes.push(change);
    reportConflict(ours, group, change, counter);
  }
  return changes;
}

function mergeKey(
  ours: readonly MemoryRow[],
  theirs: readonly MemoryRow[],
  counter: MergeCounter,
): KeyChange {
  const known = new Map(ours.map((row) => [versionKey(row), row]));
  const there = new Map(theirs.map((row) => [versionKey(row), row]));
  const names = new Set([...known.keys(), ...there.keys()]);
  const rows = Array.from(names, (name) => combine(known.get(name), there.get(name)));
  const successors = new Map(ours.map((row) => [row.id, versionKey(row)]));
  const versions = orderVersions(rows).map((version) => {
    const before = known.get(versionKey(version.row));
    const isNew = before === undefined;
    const isChanged = before !== undefined && !isSame(before, version, successors);
    if (isNew) counter.imported.memories += 1;
    else if (isChanged) counter.changed.memories += 1;
    else if (there.has(versionKey(version.row))) counter.unchanged.memories += 1;
    return { ...version, isNew, isChanged };
  });
  return { versions };
}

/** Combines the rows of a version, which one side or both have: confirmation and expiry come from the row that was confirmed last. */
function combine(ours: MemoryRow | undefined, theirs: MemoryRow | undefined): MemoryRow {
  if (ours === undefined || theirs === undefined) return (ours ?? theirs) as MemoryRow;
  const order =
    compareText(ours.confirmed_at, theirs.confirmed_at) ||
    compareText(ours.expires_at ?? '', theirs.expires_at ?? '');
  const { confirmed_at, expires_at } = order >= 0 ? ours : theirs;
  const { superseded_at, superseded_by } = endOf(ours, theirs);
  const created_at = [ours.created_at, theirs.created_at].sort(compareText)[0] as string;
  return { ...ours, confirmed_at, expires_at, created_at, superseded_at, superseded_by };
}

/** How a version ended: if either side deleted it, by deletion, otherwise by replacement. Of two ends, the earlier one counts. */
function endOf(ours: MemoryRow, theirs: MemoryRow): Pick<MemoryRow, 'superseded_at' | 'superseded_by'> {
  const ended = [ours, theirs]
    .filter(({ superseded_at }) => superseded_at !== null)
    .toSorted((left, right) => compareText(left.superseded_at ?? '', right.superseded_at ?? ''));
  return ended.find(({ superseded_by }) => superseded_by === null) ?? ended[0] ?? ours;
}

function isSame(
  before: MemoryRow,
  { row, successor, supersededAt }: MemoryVersion,
  names: ReadonlyMap<number, string>,
): boolean {
  const named = before.superseded_by === null ? undefined : names.get(before.superseded_by);
  return (
    before.confirmed_at === row.confirmed_at &&
    before.expires_at === row.expires_at &&
    before.created_at === row.created_at &&
    before.superseded_at === supersededAt &&
    named === (successor && versionKey(successor.row))
  );
}

/** Each side has a current version that the other does not know. */
function reportConflict(
  ours: readonly MemoryRow[],
  theirs: readonly MemoryRow[],
  { versions }: KeyChange,
  counter: MergeCounter,
): void {
  const [here, there] = [ours, theirs].map((rows) =>
    rows.find(({ superseded_at }) => superseded_at === null),
  );
  if (here === undefined || there === undefined || here.value === there.value) return;
  const knows = (rows: readonly MemoryRow[], row: MemoryRow): boolean =>
    rows.some((candidate) => versionKey(candidate) === versionKey(row));
  if (knows(ours, there) || knows(theirs, here)) return;
  const current = versions.find(({ supersededAt }) => supersededAt === null)?.row;
  const kept =
    current === undefined
      ? 'it was deleted later'
      : current.value === here.value
        ? 'the value here is kept'
        : 'the value there is kept';
  const rule =
    current?.kind === 'directive' ? 'a directive of a person comes first' : 'the later value is kept';
  counter.conflict('memory', locationOf(here), `both sides set it: ${kept} (${rule})`);
}

export function locationOf({ scope, scope_id, key }: MemoryRow): string {
  return [scope, scope_id, key].filter((part) => part !== '').join('/');
}
