import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../config/read-settings.ts';
import { compareCopies, readExtent } from '../continuity/database/sqlite/compare-copies.ts';
import { copyStore } from '../continuity/database/sqlite/copy-store.ts';
import type { CommandContext } from '../contract/command.ts';
import type { Home } from '../contract/home.ts';
import { isCleaningDue, isDueToday } from '../contract/once-a-day.ts';
import { locateStore } from './locate-store.ts';

export const BACKUPS = 'backups';
export const REPLACED = '.replaced.db';
const NAME = /^deed-\d{8}T\d{9}Z\.db$/u;

/** A larger store is not copied by an ordinary call; `store backup` copies it. */
export const MAX_AUTOMATIC_BYTES = 256 * 1024 * 1024;

export function listBackups(home: Home): string[] {
  try {
    return readdirSync(home.at(BACKUPS))
      .filter((name) => NAME.test(name))
      .sort()
      .map((name) => home.at(BACKUPS, name));
  } catch {
    return [];
  }
}

/** Whether the daily copy is due; cheap, because every write asks. */
export function isBackupDue({ home, system }: CommandContext): boolean {
  return isDueToday(home.at(BACKUPS), system.clock.now());
}

/**
 * Copies the store of the home once a day, and keeps the newest copies. A store whose old rows changed is not copied, because the copies
 * would replace the intact ones. Never throws: the caller's write succeeded.
 */
export function backupWhenDue(path: string, context: CommandContext): void {
  const { home, system, tool } = context;
  try {
    if (path !== locateStore({}, context).path) return;
    const now = system.clock.now();
    const folder = home.folder(BACKUPS);
    if (!isCleaningDue(folder, now)) return;
    const place = { homePath: home.path, folder: system.cwd, folderFile: `.${tool.name}.json` };
    const keep = Number(readSettings(tool.settings, place).get('store.backups').value);
    if (keep === 0 || statSync(path).size > MAX_AUTOMATIC_BYTES) return;
    const newest = listBackups(home).at(-1);
    const [difference] = newest === undefined ? [] : compareCopies(path, newest);
    if (difference !== undefined) {
      context.warn(`The store is damaged, so it was not backed up: ${difference}. Run "deed store check".`);
      return;
    }
    const stamp = new Date(now).toISOString().replaceAll(/[-:.]/gu, '');
    copyStore(path, join(folder, `deed-${stamp}.db`));
    // By number, not by age: a wrong clock must not delete backups.
    for (const old of listBackups(home).slice(0, -keep)) rmSync(old, { force: true });
  } catch (error) {
    context.warn(`The store was not backed up: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Sets aside the backups that contain more than a restored store: they are kept, but it is no longer compared with them. */
export function setAsideNewer(home: Home, lastEvent: number): void {
  for (const path of listBackups(home)) {
    if ((readExtent(path)?.lastEvent ?? Infinity) > lastEvent)
      renameSync(path, path.replace(/\.db$/u, REPLACED));
  }
}
