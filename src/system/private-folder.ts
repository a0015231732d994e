import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../base/fault.ts';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';

/** Creates a folder with mode 0700, and its parents; does nothing when it exists. */
export function ensurePrivateFolder(path: string): void {
  try {
    if (!isFolder(path)) createFolder(path);
  } catch (error) {
    throw faultFromSystem(error, 'create the folder', path);
  }
}

/** One level at a time: on a file system that answers every mkdir with ENOENT, such as /proc, Node's recursive option never returns. */
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

/** Rejects a folder that another account could have created: a link, another owner, an open mode. */
export function assertPrivateFolder(path: string, uid: number): void {
  const stats = lstatSync(path);
  if (stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0) return;
  throw new Fault('E_FORBIDDEN', `${path} is not a private folder of this account.`, {
    hint: `If this account owns it, run "chmod 700 ${path}"; otherwise remove it.`,
    details: { path },
  });
}
