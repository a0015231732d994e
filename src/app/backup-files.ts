import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { CommandContext } from '../contract/command.ts';
import type { Home } from '../contract/home.ts';
import { isDueToday } from '../contract/once-a-day.ts';

export const BACKUPS = 'backups';

/** The number of the last event comes first: a wrong clock must not make an old copy the newest. Copies of earlier versions are not compressed. */
const NAME = /^deed-(\d{16})-\d{8}T\d{9}Z\.db(?:\.zst)?$/u;
const SET_ASIDE = /\.(?:replaced|damaged)\.db(?:\.zst)?$/u;
const ENDING = /(?=\.db(?:\.zst)?$)/u;

export function backupName(lastEvent: number, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:.]/gu, '');
  return `deed-${String(lastEvent).padStart(16, '0')}-${stamp}.db.zst`;
}

/** The name of a copy that is kept, but no longer used. */
export function setAsideName(path: string, reason: 'replaced' | 'damaged'): string {
  return path.replace(ENDING, `.${reason}`);
}

/** Whether a file is no longer used as a copy. */
export function isSetAside(name: string): boolean {
  return SET_ASIDE.test(name);
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

/** The last event that a copy contains, by its name. */
export function lastEventOf(path: string): number {
  return Number(NAME.exec(basename(path))?.[1] ?? 0);
}

/** The last event of the newest copy; 0 if there is none. */
export function lastCopiedEvent(home: Home): number {
  return lastEventOf(listBackups(home).at(-1) ?? '');
}

/** Whether the daily copy is due; cheap, because every write asks. */
export function isBackupDue({ home, system }: Pick<CommandContext, 'home' | 'system'>): boolean {
  return isDueToday(home.at(BACKUPS), system.clock.now());
}
