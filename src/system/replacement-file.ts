import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './durable-file.ts';
import { temporarySibling } from './temporary-sibling.ts';

/** A private file next to its target, which replaces the target when it is complete. Contract: the caller must call `close`. */
export interface ReplacementFile {
  readonly path: string;
  readonly descriptor: number;
  /** Makes the content durable and gives the file its final name. */
  readonly commit: () => void;
  /** Deletes the file unless it was committed. */
  readonly close: () => void;
}

export function openReplacementFile(
  target: string,
  path: string = temporarySibling(target, 'partial'),
): ReplacementFile {
  const descriptor = openSync(path, 'wx', 0o600);
  let isCommitted = false;
  return {
    path,
    descriptor,
    commit: () => {
      fsyncSync(descriptor);
      renameSync(path, target);
      isCommitted = true;
      syncFolder(dirname(target));
    },
    close: () => {
      closeSync(descriptor);
      if (!isCommitted) rmSync(path, { force: true });
    },
  };
}
