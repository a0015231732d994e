import { systemCode } from '../../../base/system-fault.ts';
import type { Operation } from './plan-operations.ts';
import { isSameSubtree, readSubtree } from './subtree.ts';
import type { FolderHandle, TreeIo } from './tree-io.ts';

/** The temporary name of the old entry on file systems that cannot exchange two names. */
export function asideName(temporary: string): string {
  return `${temporary}~`;
}

export type Applied = 'exchange' | 'rename-aside' | 'conflict';

/**
 * Applies one prepared operation and checks the displaced entry: if it is not the expected one, it was changed concurrently, and the
 * caller must undo the operation.
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
    // An entry was created or deleted concurrently.
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
