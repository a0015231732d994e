import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../base/fault.ts';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';

/** Creates a folder that only its owner can enter, and its parents; does nothing when it is there. */
export function ensurePrivateFolder(path: string): void {
  try {
    if (!isFolder(path)) createFolder(path);
  } catch (error) {
    throw faultFromSystem(error, 'create the folder', path);
  }
}

/** Step by step: where a file system says "not there" to every creation, as /proc does, Node's own recursion never ends. */
function createFolder(path: string): void {
  const parent = dirname(path);
  if (!isFolder(parent)) createFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (systemCode(error) !== 'EEXIST' || !isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Refuses a folder that another account could have prepared: a link, a foreign owner, an open mode. */
export function assertPrivateFolder(path: string, uid: number): void {
  const stats = lstatSync(path);
  if (stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0) return;
  throw new Fault('E_FORBIDDEN', `${path} is not a private folder of this account.`, { details: { path } });
}
