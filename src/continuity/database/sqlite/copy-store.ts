import { DatabaseSync } from 'node:sqlite';
import { openReplacementFile } from '../../../system/replacement-file.ts';
import { readStoreFile } from './read-store-file.ts';

/** Copies a store to a new private file, synchronously; other processes can keep writing. A failure leaves no file. */
export function copyStore(path: string, target: string): void {
  const copy = openReplacementFile(target);
  try {
    vacuumInto(path, copy.path);
    copy.commit();
  } finally {
    copy.close();
  }
}

/** Writes a copy of a store to an empty file, without a flush. */
export function vacuumInto(path: string, target: string): void {
  readStoreFile(path, (connection) => void connection.prepare('VACUUM INTO ?').run(target));
}

/** Copies a backup to a new private file that can be used as a store. */
export function installCopy(backup: string, target: string): void {
  copyStore(backup, target);
  const copy = new DatabaseSync(target);
  copy.exec('PRAGMA journal_mode = WAL');
  copy.close();
}
