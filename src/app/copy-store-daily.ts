import { renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { unlessDamaged } from '../base/damaged.ts';
import { compareCopies, readExtent } from '../continuity/database/sqlite/compare-copies.ts';
import { vacuumInto } from '../continuity/database/sqlite/copy-store.ts';
import { isIntact } from '../continuity/database/sqlite/is-intact.ts';
import type { Home } from '../contract/home.ts';
import { compressFile } from '../system/compressed-file.ts';
import { openReplacementFile } from '../system/replacement-file.ts';
import { BACKUPS, backupName, listBackups, setAsideName } from './backup-files.ts';
import { removeAbandonedBackups, temporaryBackup, withBackup } from './open-backup.ts';

/** The limit for all copies together; the newest one stays in any case. A year of a busy home must not take more than a gigabyte. */
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
/** The uncompressed copy exists for a moment, and must not fill the disk. */
const FREE_SPACE_FACTOR = 2;

/**
 * Copies the store of the home, and removes the oldest copies. A store whose old rows changed is not copied, because the copies would
 * replace the intact ones. Returns the reason if it was not copied.
 */
export function copyStoreDaily(home: Home, keep: number, nowMs: number): string | undefined {
  const path = home.at('deed.db');
  removeAbandonedBackups(home);
  const problem = findDifference(home, path) ?? findLackOfSpace(home, path);
  if (problem === undefined) writeBackup(home, path, nowMs);
  removeExceeding(home, keep);
  return problem;
}

/** Compares the store with the newest intact copy, and sets the newer, damaged ones aside. */
function findDifference(home: Home, path: string): string | undefined {
  for (const backup of listBackups(home).toReversed()) {
    const differences = readIntact(home, backup, (file) => compareCopies(path, file, backup));
    if (differences !== undefined)
      return differences[0] && `The store is damaged: ${differences[0]}. Run "deed store check"`;
    renameSync(backup, setAsideName(backup, 'damaged'));
  }
  return undefined;
}

/** Reads a copy; undefined if it is damaged. */
export function readIntact<T>(home: Home, backup: string, work: (database: string) => T): T | undefined {
  return unlessDamaged(() => withBackup(home, backup, (file) => (isIntact(file) ? work(file) : undefined)));
}

function findLackOfSpace(home: Home, path: string): string | undefined {
  const { bavail, bsize } = statfsSync(home.at(BACKUPS));
  const needed = statSync(path).size * FREE_SPACE_FACTOR;
  return bavail * bsize > needed ? undefined : `The disk has less than ${needed} free bytes`;
}

function writeBackup(home: Home, path: string, nowMs: number): void {
  const copy = temporaryBackup(home, 'copy');
  const name = home.at(BACKUPS, backupName(readExtent(path)?.lastEvent ?? 0, nowMs));
  const target = openReplacementFile(name, temporaryBackup(home, 'partial'));
  try {
    // A private file, because a new one would have the default mode. Only the compressed one must survive a power loss.
    writeFileSync(copy, '', { mode: 0o600, flag: 'wx' });
    vacuumInto(path, copy);
    compressFile(copy, target.descriptor);
    target.commit();
  } finally {
    target.close();
    for (const file of [copy, `${copy}-journal`]) rmSync(file, { force: true });
  }
}

/** Removes the oldest copies, by their number and their size, not by their age: the clock may be wrong. The newest one stays in any case. */
function removeExceeding(home: Home, keep: number): void {
  let total = 0;
  for (const [index, path] of listBackups(home).toReversed().entries()) {
    total += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (index > 0 && (index >= keep || total > MAX_TOTAL_BYTES)) rmSync(path, { force: true });
  }
}
