/** An open folder of a tree. */
export type FolderHandle = number;

export interface Look {
  readonly type: 'file' | 'symlink' | 'dir' | 'other';
  readonly mode: number;
  readonly size: number;
  readonly uid: number;
  readonly gid: number;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Everything a promotion does to a disk, one step at a time, so that a test can stop it after any of them or forget what was not
 * synced. Every name is one entry of an open folder. Contract: failures throw an error with the system's `code`; `createFile` and
 * `appendFile` return when the content is on disk, everything about names only after `sync` of their folder.
 */
export interface TreeIo {
  readonly openRoot: (path: string) => FolderHandle;
  /** Opens a folder inside another; never through a link. */
  readonly openFolder: (parent: FolderHandle, name: string) => FolderHandle;
  readonly close: (folder: FolderHandle) => void;
  readonly list: (folder: FolderHandle) => readonly string[];
  readonly look: (folder: FolderHandle, name: string) => Look | undefined;
  readonly read: (folder: FolderHandle, name: string) => Iterable<Uint8Array>;
  readonly readLink: (folder: FolderHandle, name: string) => string;
  /** Creates a file that must not be there. */
  readonly createFile: (
    folder: FolderHandle,
    name: string,
    content: Iterable<Uint8Array>,
    mode: number,
    owner: Owner | undefined,
  ) => void;
  readonly appendFile: (folder: FolderHandle, name: string, content: Uint8Array) => void;
  readonly createLink: (folder: FolderHandle, name: string, target: string, owner: Owner | undefined) => void;
  readonly createFolder: (folder: FolderHandle, name: string, mode: number, owner: Owner | undefined) => void;
  /** Swaps two names in one step; ENOTSUP where the file system cannot. */
  readonly exchange: (folder: FolderHandle, left: string, right: string) => void;
  /** Renames; EEXIST rather than replace anything. */
  readonly rename: (folder: FolderHandle, from: string, to: string) => void;
  readonly unlink: (folder: FolderHandle, name: string) => void;
  readonly removeFolder: (folder: FolderHandle, name: string) => void;
  readonly sync: (folder: FolderHandle) => void;
  /** Which disk a folder is on: what is done to one disk reaches it in order. */
  readonly device: (folder: FolderHandle) => number;
}
