import { rmSync } from 'node:fs';
import type { Home } from '../contract/home.ts';
import { decompressFile, isCompressed } from '../system/compressed-file.ts';
import { removeAbandonedSiblings, temporarySibling } from '../system/temporary-sibling.ts';
import { BACKUPS } from './backup-files.ts';

/** Of temporary files. */
const KINDS = ['copy', 'partial', 'unpacked'] as const;
/** SQLite writes it next to a copy. */
const JOURNAL = 'copy-journal';

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
