import { lstatSync, mkdirSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { faultFromSystem } from '../base/system-fault.ts';

/** Creates a folder that only its owner can enter, and its parents; does nothing when it is there. */
export function ensurePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw faultFromSystem(error, 'create the folder', path);
  }
}

/** Refuses a folder that another account could have prepared: a link, a foreign owner, an open mode. */
export function assertPrivateFolder(path: string, uid: number): void {
  const stats = lstatSync(path);
  if (stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0) return;
  throw new Fault('E_FORBIDDEN', `${path} is not a private folder of this account.`, { details: { path } });
}
