/** An open folder of a tree. */
export type FolderHandle = number;

export interface EntryStats {
  readonly type: 'file' | 'symlink' | 'dir' | 'other';
  readonly mode: number;
  readonly size: number;
  readonly uid: number;
  readonly gid: number;
}

export interface EntryOwner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * All disk operations of a promotion, one step at a time, so that a test can stop after any of them or drop what was not synced.
 * Every name is one entry of an open folder. Contract: failures throw an error with the system's `code`; the content of
 * created files is on disk after `syncFiles`, appended content when `appendFile` returns; changes of names are on disk only after `sync` of
 * their folder.
 */
export interface TreeIo {
  readonly openRoot: (path: string) => FolderHandle;
  /** Opens a folder inside another without following symlinks. */
  readonly openFolder: (parent: FolderHandle, name: string) => FolderHandle;
  readonly close: (folder: FolderHandle) => void;
  readonly list: (folder: FolderHandle) => readonly string[];
  readonly stat: (folder: FolderHandle, name: string) => EntryStats | undefined;
  readonly read: (folder: FolderHandle, name: string) => Iterable<Uint8Array>;
  readonly readLink: (folder: FolderHandle, name: string) => string;
  /** Creates a file that must not exist. A caller must call `syncFiles` afterwards, also after a failure. */
  readonly createFile: (
    folder: FolderHandle,
    name: string,
    content: Iterable<Uint8Array>,
    mode: number,
    owner: EntryOwner | undefined,
  ) => void;
  /** Waits until the content of all created files is on disk: together this takes a fraction of the time. */
  readonly syncFiles: () => void;
  readonly appendFile: (folder: FolderHandle, name: string, content: Uint8Array) => void;
  readonly createLink: (
    folder: FolderHandle,
    name: string,
    target: string,
    owner: EntryOwner | undefined,
  ) => void;
  readonly createFolder: (
    folder: FolderHandle,
    name: string,
    mode: number,
    owner: EntryOwner | undefined,
  ) => void;
  /** Exchanges two names atomically; ENOTSUP if the file system cannot. */
  readonly exchange: (folder: FolderHandle, left: string, right: string) => void;
  /** Renames without replacing; EEXIST if the target exists. */
  readonly rename: (folder: FolderHandle, from: string, to: string) => void;
  readonly unlink: (folder: FolderHandle, name: string) => void;
  readonly removeFolder: (folder: FolderHandle, name: string) => void;
  readonly sync: (folder: FolderHandle) => void;
  /** The disk of a folder: operations on one disk are persisted in order. */
  readonly device: (folder: FolderHandle) => number;
}
