import { existsSync, linkSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../base/fault.ts';
import { faultFromSystem } from '../base/system-fault.ts';
import { installCopy } from '../continuity/database/sqlite/copy-store.ts';
import { readExtent, type StoreExtent } from '../continuity/database/sqlite/compare-copies.ts';
import { isIntact } from '../continuity/database/sqlite/is-intact.ts';
import { lockStore } from '../continuity/database/sqlite/lock-store.ts';
import { sqliteFault } from '../continuity/database/sqlite/sqlite-fault.ts';
import type { AuditLine } from '../contract/audit-chain.ts';
import type { Home } from '../contract/home.ts';
import { readAuditNewestFirst } from '../contract/read-audit.ts';
import { OTHER_BACKUP, withBackup } from './open-backup.ts';
import { syncFolder } from '../system/durable-file.ts';
import { temporarySibling } from '../system/temporary-sibling.ts';

/** The commands that write to the store. */
const STORE_WRITES = /^(?:push|resume|loop|(?:task|memory|events|artifacts|work) [a-z-]+|store import)$/u;
const MAX_LISTED = 50;

export interface MissingWrite {
  readonly at: string;
  readonly command: string;
  readonly agent: string | null;
  readonly request_id: string | null;
}

/** Lists the writes that the audit log has after a time, newest first: a store that ends there does not contain them. */
export function listMissingWrites(
  home: Home,
  since: string | null,
): { count: number; items: MissingWrite[] } {
  const items: MissingWrite[] = [];
  let count = 0;
  for (const line of readAuditNewestFirst(home)) {
    if (since !== null && line.at <= since) break;
    if (!isStoreWrite(line)) continue;
    count += 1;
    const { at, command, agent, request_id } = line;
    if (items.length < MAX_LISTED) items.push({ at, command: command ?? '', agent, request_id });
  }
  return { count, items };
}

/** Only writes have a line when they begin. */
function isStoreWrite({ phase, command }: AuditLine): boolean {
  return phase === 'begin' && command !== null && STORE_WRITES.test(command);
}

/** Reads how far a backup reaches; E_DAMAGED if it is not a store that can be read. */
export function readBackup(home: Home, path: string): StoreExtent {
  const extent = withBackup(home, path, readExtent);
  if (extent !== undefined) return extent;
  throw unreadable(path);
}

function unreadable(path: string): Fault {
  return new Fault('E_DAMAGED', `The backup ${path} cannot be read.`, {
    hint: OTHER_BACKUP,
    details: { path },
  });
}

/**
 * Replaces a store with a backup. The replaced files are kept under another name, which is returned. At any time there is a store at
 * `path`: if the process is killed, the old one or the new one. A folder in its place is renamed. E_CONFLICT if another process has the store open.
 */
export function replaceStore(home: Home, path: string, backup: string, nowMs: number): string | null {
  const fresh = temporarySibling(path, 'partial');
  const kept = `${path}.${new Date(nowMs).toISOString().replaceAll(/[-:.]/gu, '')}.damaged`;
  const hadStore = existsSync(path);
  try {
    withBackup(home, backup, (file) => installCopy(file, fresh));
    if (!isIntact(fresh)) throw unreadable(backup);
    const unlock = lockStore(path);
    try {
      if (hadStore) keepFiles(path, kept);
      renameSync(fresh, path);
      syncFolder(dirname(path));
    } finally {
      unlock();
    }
  } catch (error) {
    rmSync(fresh, { force: true });
    throw faultFromSystem(sqliteFault(error, backup), 'restore', path);
  }
  return hadStore ? kept : null;
}

/** Keeps the replaced files. Only a damaged store still has a write-ahead log here; SQLite must not apply it to the restored store. */
function keepFiles(path: string, kept: string): void {
  if (lstatSync(path).isDirectory()) renameSync(path, kept);
  else linkSync(path, kept);
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${kept}-wal`);
  rmSync(`${path}-shm`, { force: true, recursive: true });
}
