import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { Home } from '../contract/home.ts';

export const BACKUPS = 'backups';

/** The number of the last event comes first: a wrong clock must not make an old copy the newest. */
const NAME = /^deed-(\d{16})-\d{8}T\d{9}Z\.db$/u;

export function backupName(lastEvent: number, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:.]/gu, '');
  return `deed-${String(lastEvent).padStart(16, '0')}-${stamp}.db`;
}

/** Lists the copies of the store of the home, oldest first. */
export function listBackups(home: Home): string[] {
  try {
    return readdirSync(home.at(BACKUPS), { withFileTypes: true })
      .filter((entry) => entry.isFile() && NAME.test(entry.name))
      .map(({ name }) => home.at(BACKUPS, name))
      .sort();
  } catch {
    return [];
  }
}

/** The last event of the newest copy; 0 if there is none. */
export function lastCopiedEvent(home: Home): number {
  return Number(NAME.exec(basename(listBackups(home).at(-1) ?? ''))?.[1] ?? 0);
}
