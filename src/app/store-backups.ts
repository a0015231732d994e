import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../base/error-message.ts';
import { compareCopies, readExtent } from '../continuity/database/sqlite/compare-copies.ts';
import { copyStore } from '../continuity/database/sqlite/copy-store.ts';
import type { CommandContext } from '../contract/command.ts';
import type { Home } from '../contract/home.ts';
import { isCleaningDue, isDueToday } from '../contract/once-a-day.ts';
import { isIntact } from '../continuity/database/sqlite/is-intact.ts';
import { settingsOf } from '../config/settings-of.ts';
import { backupName, BACKUPS, listBackups } from './backup-files.ts';

const REPLACED = '.replaced.db';
const DAMAGED = '.damaged.db';

/** A larger store is not copied by an ordinary call; `store backup` copies it. */
export const MAX_AUTOMATIC_BYTES = 256 * 1024 * 1024;
/** Of all copies together; the newest one stays in any case. A year of a busy home must not take more than a gigabyte. */
const MAX_TOTAL_BYTES = MAX_AUTOMATIC_BYTES;

/** The newest copy in which no damage is found. */
export function newestBackup(home: Home): string | undefined {
  return listBackups(home).findLast(isIntact);
}

/** Whether a file is no longer used as a copy. */
export function isSetAside(name: string): boolean {
  return name.endsWith(REPLACED) || name.endsWith(DAMAGED);
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
  const { home, system } = context;
  try {
    // Commands of other parts ask too, and may run before the first write to the store.
    if (path !== home.at('deed.db') || !existsSync(path)) return;
    const now = system.clock.now();
    const folder = home.folder(BACKUPS);
    if (!isCleaningDue(folder, now)) return;
    const keep = Number(settingsOf(context).get('store.backups').value);
    if (keep === 0) return;
    if (isTooLargeToCopy(path)) {
      removeExceeding(home, keep);
      return;
    }
    for (const damaged of damagedBackups(home)) renameSync(damaged, damaged.replace(/\.db$/u, DAMAGED));
    const newest = listBackups(home).at(-1);
    const [difference] = newest === undefined ? [] : compareCopies(path, newest);
    if (difference !== undefined) {
      context.warn(`The store is damaged, so it was not backed up: ${difference}. Run "deed store check".`);
      return;
    }
    copyStore(path, join(folder, backupName(readExtent(path)?.lastEvent ?? 0, now)));
    removeExceeding(home, keep);
  } catch (error) {
    context.warn(`The store was not backed up: ${errorMessage(error)}`);
  }
}

export function isTooLargeToCopy(path: string): boolean {
  return statSync(path).size > MAX_AUTOMATIC_BYTES;
}

/** Removes the oldest copies, by their number and their size, not by their age: the clock may be wrong. */
function removeExceeding(home: Home, keep: number): void {
  let total = 0;
  for (const [index, path] of listBackups(home).toReversed().entries()) {
    total += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (index >= keep || (index > 0 && total > MAX_TOTAL_BYTES)) rmSync(path, { force: true });
  }
}

/** The copies that are newer than the newest intact one. */
function damagedBackups(home: Home): string[] {
  const backups = listBackups(home);
  return backups.slice(backups.findLastIndex(isIntact) + 1);
}

/** Sets aside the backups that contain more than a restored store: they are kept, but it is no longer compared with them. */
export function setAsideNewer(home: Home, lastEvent: number): void {
  for (const path of listBackups(home)) {
    if ((readExtent(path)?.lastEvent ?? Infinity) > lastEvent)
      renameSync(path, path.replace(/\.db$/u, REPLACED));
  }
}
