import {
  chownSync,
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
  chmodSync,
  type Stats,
} from 'node:fs';
import { systemCode } from '../../../base/system-fault.ts';
import { openAnchoredFolder, type AnchoredFolder } from '../../../system/anchored-folder.ts';
import { writeWhole } from '../../../system/durable-file.ts';
import type { Libc } from '../../../system/libc/libc.ts';
import { readContent } from '../read-content.ts';
import type { FolderHandle, EntryStats, TreeIo } from './tree-io.ts';

/** Error codes of file systems and kernels that do not support a rename flag. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM']);

/** The real disk. Without the C library, exchange is unavailable and a rename without replacing takes two steps. */
export function createDiskTreeIo(libc: Libc | undefined): TreeIo {
  const folders = new Map<FolderHandle, AnchoredFolder>();
  const open = (path: string): FolderHandle => {
    const folder = openAnchoredFolder(path);
    folders.set(folder.descriptor, folder);
    return folder.descriptor;
  };
  const at = (folder: FolderHandle, name: string): string => folders.get(folder)?.at(name) ?? '';
  return {
    openRoot: open,
    openFolder: (parent, name) => open(at(parent, name)),
    close: (folder) => {
      folders.get(folder)?.close();
      folders.delete(folder);
    },
    list: (folder) => readdirSync(at(folder, '.')),
    stat: (folder, name) => {
      const stats = lstatSync(at(folder, name), { throwIfNoEntry: false });
      return stats === undefined ? undefined : toEntryStats(stats);
    },
    read: (folder, name) => readContent(at(folder, name), 'file'),
    readLink: (folder, name) => readlinkSync(at(folder, name)),
    createFile: (folder, name, content, mode, owner) =>
      withFile(openSync(at(folder, name), 'wx', 0o600), (file) => {
        for (const piece of content) writeWhole(file, piece);
        if (owner !== undefined) fchownSync(file, owner.uid, owner.gid);
        fchmodSync(file, mode);
      }),
    appendFile: (folder, name, content) =>
      withFile(
        openSync(at(folder, name), constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW),
        (file) => writeWhole(file, content),
      ),
    createLink: (folder, name, target, owner) => {
      symlinkSync(target, at(folder, name));
      if (owner !== undefined) lchownSync(at(folder, name), owner.uid, owner.gid);
    },
    createFolder: (folder, name, mode, owner) => {
      mkdirSync(at(folder, name), { mode: 0o700 });
      if (owner !== undefined) chownSync(at(folder, name), owner.uid, owner.gid);
      chmodSync(at(folder, name), mode);
    },
    exchange: (folder, left, right) => {
      if (libc === undefined) throw Object.assign(new Error('no exchange'), { code: 'ENOTSUP' });
      try {
        libc.renameExchange({ folder, name: left }, { folder, name: right });
      } catch (error) {
        if (!UNSUPPORTED.has(systemCode(error) ?? '')) throw error;
        throw Object.assign(new Error('no exchange', { cause: error }), { code: 'ENOTSUP' });
      }
    },
    rename: (folder, from, to) => {
      try {
        if (libc !== undefined) return libc.renameNoReplace({ folder, name: from }, { folder, name: to });
      } catch (error) {
        if (!UNSUPPORTED.has(systemCode(error) ?? '')) throw error;
      }
      renameWithoutReplace(at(folder, from), at(folder, to));
    },
    unlink: (folder, name) => unlinkSync(at(folder, name)),
    removeFolder: (folder, name) => rmdirSync(at(folder, name)),
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
