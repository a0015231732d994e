import { systemCode } from '../../../base/system-fault.ts';
import type { Operation } from './plan-operations.ts';
import { isSameSubtree, readSubtree } from './subtree.ts';
import type { FolderHandle, TreeIo } from './tree-io.ts';

/** Where a file system cannot exchange two names, the old entry waits under this one. */
export function asideName(temporary: string): string {
  return `${temporary}~`;
}

export type Applied = 'exchange' | 'rename-aside' | 'conflict';

/**
 * Puts one staged operation in place and looks at what it displaced: if that is not what was expected, somebody changed it in the
 * last moment, and the caller must undo.
 */
export function applyOperation(
  io: TreeIo,
  folder: FolderHandle,
  name: string,
  operation: Operation,
): Applied {
  const { temporary, before, after } = operation;
  try {
    if (before === undefined) {
      io.rename(folder, temporary, name);
      return 'exchange';
    }
    if (after === undefined) {
      io.rename(folder, name, temporary);
      return displacedIs(io, folder, temporary, operation) ? 'exchange' : 'conflict';
    }
    return exchange(io, folder, name, operation);
  } catch (error) {
    // Something appeared where nothing was, or went away.
    if (systemCode(error) === 'EEXIST' || systemCode(error) === 'ENOENT') return 'conflict';
    throw error;
  }
}

function exchange(io: TreeIo, folder: FolderHandle, name: string, operation: Operation): Applied {
  const { temporary } = operation;
  try {
    io.exchange(folder, temporary, name);
    return displacedIs(io, folder, temporary, operation) ? 'exchange' : 'conflict';
  } catch (error) {
    if (systemCode(error) !== 'ENOTSUP') throw error;
  }
  const aside = asideName(temporary);
  io.rename(folder, name, aside);
  io.rename(folder, temporary, name);
  return displacedIs(io, folder, aside, operation) ? 'rename-aside' : 'conflict';
}

function displacedIs(io: TreeIo, folder: FolderHandle, name: string, { before }: Operation): boolean {
  return isSameSubtree(readSubtree(io, folder, name), before);
}
