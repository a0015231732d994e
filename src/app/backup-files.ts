import { readdirSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import type { Home } from '../contract/home.ts';
import { decompressFile, isCompressed } from '../system/compressed-file.ts';
import { removeAbandonedSiblings, temporarySibling } from '../system/temporary-sibling.ts';

export const BACKUPS = 'backups';

/** The number of the last event comes first: a wrong clock must not make an old copy the newest. Copies of earlier versions are not compressed. */
const NAME = /^deed-(\d{16})-\d{8}T\d{9}Z\.db(?:\.zst)?$/u;
const SET_ASIDE = /\.(?:replaced|damaged)\.db(?:\.zst)?$/u;
const ENDING = /(?=\.db(?:\.zst)?$)/u;
/** Of temporary files. */
const KINDS = ['copy', 'partial', 'unpacked'] as const;
/** SQLite writes it next to a copy. */
const JOURNAL = 'copy-journal';

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

/** The path of a temporary file in the folder of the copies. */
export function temporaryBackup(home: Home, kind: (typeof KINDS)[number]): string {
  home.folder(BACKUPS);
  return temporarySibling(home.at(BACKUPS, 'deed.db'), kind);
}

/** Removes the temporary files of killed processes; each can be as large as the store. */
export function removeAbandonedBackups(home: Home): void {
  removeAbandonedSiblings(home.at(BACKUPS, 'deed.db'), [...KINDS, JOURNAL]);
}

/** How to continue without a copy. */
export const OTHER_BACKUP =
  'Pass another file to --from; "backups" in the home folder contains the automatic ones.';

/** Reads a copy, compressed or not, as a database file. A damaged compressed one is E_DAMAGED. */
export function withBackup<T>(home: Home, path: string, work: (database: string) => T): T {
  if (!isCompressed(path)) return work(path);
  const unpacked = temporaryBackup(home, 'unpacked');
  try {
    decompressFile(path, unpacked, OTHER_BACKUP);
    return work(unpacked);
  } finally {
    rmSync(unpacked, { force: true });
  }
}
