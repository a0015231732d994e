import type { MemoryRow } from '../../memory/memory.ts';
import { isPerson } from '../../person.ts';
import { compareText } from './match-events.ts';

/** A version of a memory, and the version that replaced it. */
export interface MemoryVersion {
  readonly row: MemoryRow;
  /** Undefined while it is current and if it was deleted. */
  readonly successor: MemoryVersion | undefined;
  readonly supersededAt: string | null;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Orders all versions of a key by time and decides which one is current: the last, unless it was deleted later. An agent's version does not replace
 * a directive of a person, because only a person can change that.
 */
export function orderVersions(rows: readonly MemoryRow[]): MemoryVersion[] {
  const deletions = rows.flatMap(({ superseded_at, superseded_by }) =>
    superseded_at !== null && superseded_by === null ? [superseded_at] : [],
  );
  const versions: Writable<MemoryVersion>[] = [...rows]
    .sort(byTime)
    .map((row) => ({ row, successor: undefined, supersededAt: null }));
  let current: Writable<MemoryVersion> | undefined;
  for (const version of versions) {
    const deletedAt = current && deletionOf(current.row, deletions, version.row.updated_at);
    if (current !== undefined && deletedAt !== undefined) {
      current.supersededAt = deletedAt;
      // Earlier schemas did not name the version that replaced another one at the same time.
      if (deletedAt === version.row.updated_at) current.successor = version;
      current = undefined;
    }
    if (current !== undefined && protects(current.row, version.row)) {
      version.supersededAt = version.row.updated_at;
      version.successor = current;
      continue;
    }
    if (current !== undefined) {
      current.supersededAt = version.row.updated_at;
      current.successor = version;
    }
    current = version;
  }
  if (current !== undefined) current.supersededAt = deletionOf(current.row, deletions) ?? null;
  return versions;
}

/** Whether a version stays current although a later one exists. */
function protects(current: MemoryRow, later: MemoryRow): boolean {
  return current.kind === 'directive' && !isPerson(later.source_agent);
}

/** When a version was deleted before a time; a directive is deleted only if it was itself deleted, not another version. */
function deletionOf(row: MemoryRow, deletions: readonly string[], until?: string): string | undefined {
  const own = row.superseded_by === null && row.superseded_at !== null ? [row.superseded_at] : [];
  return (row.kind === 'directive' ? own : deletions)
    .filter((at) => at >= row.updated_at && (until === undefined || at <= until))
    .sort(compareText)[0];
}

function byTime(left: MemoryRow, right: MemoryRow): number {
  const isCurrent = (row: MemoryRow): number => (row.superseded_at === null ? 1 : 0);
  return (
    compareText(left.updated_at, right.updated_at) ||
    // Of two versions with the same time, the current version comes last.
    isCurrent(left) - isCurrent(right) ||
    compareText(versionKey(left), versionKey(right))
  );
}

/** What makes a version the same on two machines; ids are numbers of one machine. */
export function versionKey(row: MemoryRow): string {
  const { scope, scope_id, key, value, value_type, kind, pinned, source_agent, updated_at } = row;
  return JSON.stringify([scope, scope_id, key, updated_at, source_agent, kind, value_type, pinned, value]);
}
