import { lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';

/** What makes a path unsafe to trust: another account can decide what it contains. */
export interface ForeignAccess {
  readonly path: string;
  readonly problem: string;
  readonly fix: string;
}

const WRITABLE_BY_OTHERS = 0o022;
const ROOT_UID = 0;

/**
 * Finds how an account other than this one and root controls a file or folder: as its owner, by its mode, or through a link.
 * Undefined for a path that does not exist.
 */
export function findForeignAccess(path: string, uid: number): ForeignAccess | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) {
    return { path, problem: 'is a symbolic link', fix: `Replace ${path} with its target` };
  }
  if (!stats.isFile() && !stats.isDirectory()) {
    // Opening a named pipe may never return, and no signal interrupts it.
    return { path, problem: 'is a pipe, socket or device', fix: `Replace ${path} with a file or folder` };
  }
  if (stats.uid !== uid && stats.uid !== ROOT_UID) {
    return {
      path,
      problem: `belongs to uid ${stats.uid}, not to uid ${uid}`,
      fix: `Run as its owner, or change the owner: chown -R ${uid} ${path}`,
    };
  }
  return isOpen(stats)
    ? {
        path,
        problem: `is writable by other accounts (mode ${(stats.mode & 0o7777).toString(8)})`,
        fix: `chmod go-w ${path}`,
      }
    : undefined;
}

/** Finds the owner of a file, folder or link if that is neither this account nor root. The links of this account and of root are trusted. */
export function findForeignOwner(path: string, uid: number): ForeignAccess | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.uid === uid || stats.uid === ROOT_UID) return undefined;
  return {
    path,
    problem: `belongs to uid ${stats.uid}, not to uid ${uid}`,
    fix: `Run as its owner, or change the owner: chown -h ${uid} ${path}`,
  };
}

/** Finds a link of another account among the folders above a path: that account decides where the path leads. */
export function findForeignLinkAbove(path: string, uid: number): ForeignAccess | undefined {
  const parent = dirname(path);
  if (parent === path) return undefined;
  const isLink = lstatSync(parent, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return (isLink ? findForeignOwner(parent, uid) : undefined) ?? findForeignLinkAbove(parent, uid);
}

function isOpen({ mode }: Stats): boolean {
  return (mode & WRITABLE_BY_OTHERS) !== 0;
}
