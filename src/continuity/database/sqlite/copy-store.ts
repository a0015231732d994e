import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { connectReadOnly } from './connect-sqlite.ts';
import { syncFolder } from '../../../system/durable-file.ts';
import { temporarySibling } from '../../../system/temporary-sibling.ts';

/** Copies a store to a new private file, synchronously; other processes can keep writing. A failure leaves no file. */
export function copyStore(path: string, target: string): void {
  const temporary = temporarySibling(target, 'partial');
  const connection = connectReadOnly(path);
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      connection.prepare('VACUUM INTO ?').run(temporary);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, target);
    syncFolder(dirname(target));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    connection.close();
  }
}

/** Copies a backup to a new private file that can be used as a store. */
export function installCopy(backup: string, target: string): void {
  copyStore(backup, target);
  const copy = new DatabaseSync(target);
  copy.exec('PRAGMA journal_mode = WAL');
  copy.close();
}
