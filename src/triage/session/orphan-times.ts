import { join } from 'node:path';
import { isPlainObject } from '../../base/json.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import type { Judgement } from '../assessment.ts';
import type { Snapshot } from '../process-snapshot.ts';

const FILE = 'last-look.json';

/**
 * Returns since when processes are orphaned, by `pid:startTicks`, according to the previous snapshot: the stored time, or the time of that
 * snapshot if the process was not orphaned then. Otherwise an old process that was orphaned a minute ago would count as orphaned for long.
 */
export function readOrphanTimes(
  root: string,
  { bootId, takenAtMs }: Pick<Snapshot, 'bootId' | 'takenAtMs'>,
): ReadonlyMap<string, number> {
  const last = parseRecord(readFileIfPresent(join(root, FILE)));
  if (last === undefined || last.boot_id !== bootId || last.taken_at_ms >= takenAtMs) return new Map();
  const times = new Map(last.seen.map((key) => [key, last.taken_at_ms]));
  for (const [key, since] of Object.entries(last.lost_since_ms))
    if (typeof since === 'number') times.set(key, since);
  return times;
}

/** Saves the orphan times for the next snapshot. */
export function saveOrphanTimes(root: string, snapshot: Snapshot, { assessments }: Judgement): void {
  const lost = assessments.flatMap(({ pid, startTicks, observation }) =>
    observation.lostForMs === null
      ? []
      : [[`${pid}:${startTicks}`, snapshot.takenAtMs - observation.lostForMs] as const],
  );
  const record: SnapshotRecord = {
    boot_id: snapshot.bootId,
    taken_at_ms: snapshot.takenAtMs,
    seen: snapshot.processes
      .filter(({ kernel }) => !kernel)
      .map(({ pid, startTicks }) => `${pid}:${startTicks}`),
    lost_since_ms: Object.fromEntries(lost),
  };
  writeFileDurably(join(root, FILE), `${JSON.stringify(record)}\n`, { sync: false });
}

interface SnapshotRecord {
  readonly boot_id: string;
  readonly taken_at_ms: number;
  readonly seen: readonly string[];
  readonly lost_since_ms: Readonly<Record<string, number>>;
}

/** Parses the file; an invalid one is ignored. */
function parseRecord(text: string | undefined): SnapshotRecord | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    if (!isPlainObject(value) || !Array.isArray(value.seen) || !isPlainObject(value.lost_since_ms))
      return undefined;
    return typeof value.taken_at_ms === 'number' ? (value as unknown as SnapshotRecord) : undefined;
  } catch {
    return undefined;
  }
}
