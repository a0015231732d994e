import { join } from 'node:path';
import { isPlainObject } from '../../base/json.ts';
import type { Lookup } from '../../base/lookup.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import type { Judgement } from '../assessment.ts';
import type { History } from '../decision/automation.ts';
import type { ProcessSnapshot } from '../process-snapshot.ts';

const FILE = 'last-look.json';

/** What the previous snapshots recorded about processes, by `pid:startTicks`. */
export interface RecordedTimes {
  /**
   * Since when processes are orphaned: the stored estimate, or the time of the previous snapshot if the process was not orphaned then.
   * Without this record, an old process that was orphaned a minute ago would count as orphaned for a long time.
   */
  readonly lostSince: Lookup<number>;
  readonly history: Lookup<History>;
}

const NOTHING: RecordedTimes = { lostSince: new Map(), history: new Map() };

export function readOrphanTimes(
  root: string,
  { bootId, takenAtMs }: Pick<ProcessSnapshot, 'bootId' | 'takenAtMs'>,
): RecordedTimes {
  const last = parseRecord(readFileIfPresent(join(root, FILE)));
  if (last === undefined || last.boot_id !== bootId || last.taken_at_ms >= takenAtMs) return NOTHING;
  const atMs = last.taken_at_ms;
  const seen = new Set(last.seen);
  const since = new Map(Object.entries(last.lost_since_ms).filter(([, ms]) => typeof ms === 'number'));
  const lost = new Map(Object.entries(last.lost ?? {}));
  return {
    lostSince: { get: (key) => since.get(key) ?? (seen.has(key) ? atMs : undefined) },
    history: {
      get: (key) => {
        const known = lost.get(key);
        if (known !== undefined) {
          const [firstLostMs, lastOwnedMs, cpuTicks] = known;
          return { firstLostMs, lastOwnedMs, reading: { atMs, cpuTicks } };
        }
        // Seen with its owner in the previous snapshot: if it is orphaned now, that happened since.
        return seen.has(key) ? { firstLostMs: takenAtMs, lastOwnedMs: atMs } : undefined;
      },
    },
  };
}

/** Saves the orphan times for the next snapshot. */
export function saveOrphanTimes(
  root: string,
  snapshot: ProcessSnapshot,
  { assessments }: Judgement,
  { history }: RecordedTimes,
): void {
  const keyOf = ({ pid, startTicks }: { pid: number; startTicks: number }): string => `${pid}:${startTicks}`;
  const ticks = new Map(snapshot.processes.map(({ pid, cpuTicks }) => [pid, cpuTicks]));
  const lost = assessments.filter(({ observation }) => observation.lost);
  const record: SnapshotRecord = {
    boot_id: snapshot.bootId,
    taken_at_ms: snapshot.takenAtMs,
    seen: snapshot.processes.filter(({ kernel }) => !kernel).map(keyOf),
    lost_since_ms: Object.fromEntries(
      lost.map((each) => [keyOf(each), snapshot.takenAtMs - (each.observation.lostForMs ?? 0)]),
    ),
    lost: Object.fromEntries(
      lost.map((each) => {
        const known = history.get(keyOf(each));
        const firstLostMs = known?.firstLostMs ?? snapshot.takenAtMs;
        return [keyOf(each), [firstLostMs, known?.lastOwnedMs ?? null, ticks.get(each.pid) ?? 0]];
      }),
    ),
  };
  writeFileDurably(join(root, FILE), `${JSON.stringify(record)}\n`, { sync: false });
}

interface SnapshotRecord {
  readonly boot_id: string;
  readonly taken_at_ms: number;
  readonly seen: readonly string[];
  readonly lost_since_ms: Readonly<Record<string, number>>;
  /** When it was first seen orphaned, when it was last seen with its owner, and its CPU time. Absent in files of earlier versions. */
  readonly lost?: Readonly<Record<string, readonly [number, number | null, number]>>;
}

/** Parses the file; an invalid file is ignored. */
function parseRecord(text: string | undefined): SnapshotRecord | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    if (!isPlainObject(value) || !Array.isArray(value.seen) || !isPlainObject(value.lost_since_ms))
      return undefined;
    if (value.lost !== undefined && !isLost(value.lost)) return undefined;
    return typeof value.taken_at_ms === 'number' ? (value as unknown as SnapshotRecord) : undefined;
  } catch {
    return undefined;
  }
}

function isLost(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  return Object.values(value).every(
    (row) =>
      Array.isArray(row) &&
      typeof row[0] === 'number' &&
      (row[1] === null || typeof row[1] === 'number') &&
      typeof row[2] === 'number',
  );
}
