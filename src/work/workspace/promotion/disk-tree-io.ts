import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  type Stats,
} from 'node:fs';
import { systemCode } from '../../../base/system-fault.ts';
import { openAnchoredFolder } from '../../../system/anchored-folder.ts';
import { writeWhole } from '../../../system/durable-file.ts';
import type { Libc } from '../../../system/libc/libc.ts';
import { READ_FLAGS, readPieces } from '../read-content.ts';
import { createFolderTable } from './folder-table.ts';
import { createSyncQueue } from './sync-queue.ts';
import type { EntryStats, TreeIo } from './tree-io.ts';

/** Error codes of file systems and kernels that do not support a rename flag. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM']);

/** The real disk. Without the C library, exchange is unavailable and a rename without replacing takes two steps. */
export function createDiskTreeIo(libc: Libc | undefined): TreeIo {
  const { open, close, at, as, isOfOther, assertOwn } = createFolderTable(libc);
  const created = createSyncQueue(libc);
  return {
    openRoot: open,
    openFolder: (parent, name) => as(parent, () => open(at(parent, name))),
    close,
    list: (folder) => as(folder, () => readdirSync(at(folder, '.'))),
    stat: (folder, name) => {
      const stats = as(folder, () => lstatSync(at(folder, name), { throwIfNoEntry: false }));
      return stats === undefined ? undefined : toEntryStats(stats);
    },
    read: (folder, name) => readPieces(as(folder, () => openSync(at(folder, name), READ_FLAGS))),
    readLink: (folder, name) => as(folder, () => readlinkSync(at(folder, name))),
    createFile: (folder, name, content, mode, owner) => {
      const file = as(folder, () => openSync(at(folder, name), 'wx', 0o600));
      created.add(file);
      for (const piece of content) writeWhole(file, piece);
      if (owner !== undefined) fchownSync(file, owner.uid, owner.gid);
      fchmodSync(file, mode);
    },
    syncFiles: created.sync,
    appendFile: (folder, name, content) =>
      withFile(
        as(folder, () =>
          openSync(at(folder, name), constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW),
        ),
        (file) => writeWhole(file, content),
      ),
    createLink: (folder, name, target, owner) => {
      as(folder, () => symlinkSync(target, at(folder, name)));
      // In a folder of another account the link belongs to that account, and the name may mean something else by now.
      if (owner !== undefined && !isOfOther(folder)) lchownSync(at(folder, name), owner.uid, owner.gid);
    },
    createFolder: (folder, name, mode, owner) => {
      as(folder, () => mkdirSync(at(folder, name), { mode: 0o700 }));
      const created = as(folder, () => openAnchoredFolder(at(folder, name)));
      try {
        assertOwn(folder, created, name);
        if (owner !== undefined) fchownSync(created.descriptor, owner.uid, owner.gid);
        fchmodSync(created.descriptor, mode);
      } finally {
        created.close();
      }
    },
    exchange: (folder, left, right) => {
      if (libc === undefined) throw Object.assign(new Error('no exchange'), { code: 'ENOTSUP' });
      try {
        as(folder, () => libc.renameExchange({ folder, name: left }, { folder, name: right }));
      } catch (error) {
        if (!UNSUPPORTED.has(systemCode(error) ?? '')) throw error;
        throw Object.assign(new Error('no exchange', { cause: error }), { code: 'ENOTSUP' });
      }
    },
    rename: (folder, from, to) => {
      try {
        if (libc !== undefined)
          return as(folder, () => libc.renameNoReplace({ folder, name: from }, { folder, name: to }));
      } catch (error) {
        if (!UNSUPPORTED.has(systemCode(error) ?? '')) throw error;
      }
      as(folder, () => renameWithoutReplace(at(folder, from), at(folder, to)));
    },
    unlink: (folder, name) => as(folder, () => unlinkSync(at(folder, name))),
    removeFolder: (folder, name) => as(folder, () => rmdirSync(at(folder, name))),
    sync: (folder) => fsyncSync(folder),
    device: (folder) => fstatSync(folder).dev,
  };
}

/** Writes to an open file, syncs it to disk and closes it. */
function withFile(file: number, write: (file: number) => void): void {
  try {
    write(file);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Files: creates a hard link, which fails if the target exists, then removes the old name. Folders: checks the target first. */
function renameWithoutReplace(from: string, to: string): void {
  if (!lstatSync(from).isDirectory()) {
    linkSync(from, to);
    unlinkSync(from);
    return;
  }
  if (existsSync(to)) throw Object.assign(new Error(`${to} exists`), { code: 'EEXIST' });
  renameSync(from, to);
}

function toEntryStats(stats: Stats): EntryStats {
  const type = stats.isFile()
    ? 'file'
    : stats.isSymbolicLink()
      ? 'symlink'
      : stats.isDirectory()
        ? 'dir'
        : 'other';
  return { type, mode: stats.mode & 0o777, size: stats.size, uid: stats.uid, gid: stats.gid };
}
