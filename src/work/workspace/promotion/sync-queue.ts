import { closeSync, fsyncSync } from 'node:fs';
import type { Libc } from '../../../system/libc/libc.ts';

/** Open files whose content is synced together. */
export interface SyncQueue {
  /** Takes over an open file. */
  readonly add: (file: number) => void;
  /** Syncs and closes all files; they are closed even if a sync fails. */
  readonly sync: () => void;
}

/** Keeps the number of open files far below the usual limit of a process. */
const MAX_OPEN_FILES = 64;

/**
 * Creates a queue. First the kernel starts to write all files, then each one is synced: the first sync commits the journal of the file system
 * with all of them, and the others find little left to do.
 */
export function createSyncQueue(libc: Pick<Libc, 'startWriteback'> | undefined): SyncQueue {
  let files: number[] = [];
  const sync = (): void => {
    const open = files;
    files = [];
    try {
      for (const file of open) libc?.startWriteback(file);
      for (const file of open) fsyncSync(file);
    } finally {
      for (const file of open) closeSync(file);
    }
  };
  return {
    add: (file) => {
      if (files.length >= MAX_OPEN_FILES) sync();
      files.push(file);
    },
    sync,
  };
}
