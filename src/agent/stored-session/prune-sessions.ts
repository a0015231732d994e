import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isLocked } from '../../system/lock.ts';
import { lockFile } from './session-file.ts';

export interface PruneLimits {
  /** Sessions that were last changed before this time are deleted. */
  readonly before: number;
  /** Files that were last changed before this time stay. */
  readonly since: number;
  /** The limit for all files that remain; the oldest are deleted first. */
  readonly maxBytes: number;
}

export interface PrunedFile {
  readonly path: string;
  readonly bytes: number;
}

interface Candidate extends PrunedFile {
  readonly name: string;
  readonly changedAt: number;
}

/** Lists the files of sessions that exceed the limits, oldest first. A running session is never among them. */
export function planPrune(
  folder: string,
  names: readonly string[],
  { before, since, maxBytes }: PruneLimits,
): readonly PrunedFile[] {
  const candidates = names
    .flatMap((name): Candidate[] => {
      const path = join(folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats === undefined || stats.isDirectory()) return [];
      return [{ name, path, bytes: stats.blocks * 512, changedAt: stats.mtimeMs }];
    })
    .filter(({ changedAt, name }) => changedAt >= since && !isOfRunningSession(folder, name))
    .toSorted((a, b) => a.changedAt - b.changedAt);
  let total = candidates.reduce((sum, { bytes }) => sum + bytes, 0);
  return candidates
    .filter(({ changedAt, bytes }) => {
      if (changedAt >= before && total <= maxBytes) return false;
      total -= bytes;
      return true;
    })
    .map(({ path, bytes }) => ({ path, bytes }));
}

function isOfRunningSession(folder: string, name: string): boolean {
  const [id = ''] = name.split('.', 1);
  return isLocked(lockFile(folder, id));
}
