import { join } from 'node:path';
import { isPlainObject } from '../../base/json.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import type { Judgement } from '../assessment.ts';
import type { Snapshot } from '../process-snapshot.ts';

const FILE = 'last-look.json';

/**
 * When processes lost what they hung on, as far as the last look can tell, by `pid:startTicks`: known from then, or after that look at the
 * earliest when it still found them held. Without this an old process that was cut off a minute ago would count as long lost.
 */
export function readLossTimes(
  root: string,
  { bootId, takenAtMs }: Pick<Snapshot, 'bootId' | 'takenAtMs'>,
): ReadonlyMap<string, number> {
  const last = parseLook(readFileIfPresent(join(root, FILE)));
  if (last === undefined || last.boot_id !== bootId || last.taken_at_ms >= takenAtMs) return new Map();
  const times = new Map(last.seen.map((key) => [key, last.taken_at_ms]));
  for (const [key, since] of Object.entries(last.lost_since_ms))
    if (typeof since === 'number') times.set(key, since);
  return times;
}

/** Keeps what the next look needs to know. */
export function rememberLook(root: string, snapshot: Snapshot, { assessments }: Judgement): void {
  const lost = assessments.flatMap(({ pid, startTicks, observation }) =>
    observation.lostForMs === null
      ? []
      : [[`${pid}:${startTicks}`, snapshot.takenAtMs - observation.lostForMs] as const],
  );
  const look: Look = {
    boot_id: snapshot.bootId,
    taken_at_ms: snapshot.takenAtMs,
    seen: snapshot.processes
      .filter(({ kernel }) => !kernel)
      .map(({ pid, startTicks }) => `${pid}:${startTicks}`),
    lost_since_ms: Object.fromEntries(lost),
  };
  writeFileDurably(join(root, FILE), `${JSON.stringify(look)}\n`, { sync: false });
}

interface Look {
  readonly boot_id: string;
  readonly taken_at_ms: number;
  readonly seen: readonly string[];
  readonly lost_since_ms: Readonly<Record<string, number>>;
}

/** A memory that cannot be read is none. */
function parseLook(text: string | undefined): Look | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    if (!isPlainObject(value) || !Array.isArray(value.seen) || !isPlainObject(value.lost_since_ms))
      return undefined;
    return typeof value.taken_at_ms === 'number' ? (value as unknown as Look) : undefined;
  } catch {
    return undefined;
  }
}
