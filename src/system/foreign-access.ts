import { lstatSync, type Stats } from 'node:fs';

/** What makes a path unsafe to obey: another account can decide what it contains. */
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
    return { path, problem: 'is a symbolic link', fix: `Replace ${path} by the file or folder it leads to` };
  }
  if (!stats.isFile() && !stats.isDirectory()) {
    // Opening a named pipe may never return, and no signal ends that.
    return { path, problem: 'is a pipe, socket or device', fix: `Replace ${path} by a file or folder` };
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

function isOpen({ mode }: Stats): boolean {
  return (mode & WRITABLE_BY_OTHERS) !== 0;
}
