import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const MAX_ATTEMPTS = 5;

/**
 * Opens a private copy of a store whose files another process keeps locked, for example because it was stopped while it closed the
 * store. The copy contains every commit: until the write-ahead log is removed, it has all pages that are not completely in the store.
 * Returns undefined if the files keep changing; then the other process is not stopped, and the caller can wait for it.
 */
export function openLockedCopy(path: string): { connection: DatabaseSync; remove: () => void } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'deed-store-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'deed.db');
    if (copyUnchanged(path, copy)) return { connection: new DatabaseSync(copy), remove };
  } catch (error) {
    remove();
    throw error;
  }
  remove();
  return undefined;
}

function copyUnchanged(path: string, copy: string): boolean {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const before = stampOf(path);
    copyFileSync(path, copy);
    rmSync(`${copy}-wal`, { force: true });
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    if (stampOf(path) === before) return true;
  }
  return false;
}

function stampOf(path: string): string {
  return [path, `${path}-wal`]
    .map((file) => statSync(file, { throwIfNoEntry: false, bigint: true }))
    .map((stats) => `${stats?.ino} ${stats?.size} ${stats?.mtimeNs}`)
    .join();
}
