import { systemCode } from '../../../base/system-fault.ts';
import { asideName } from './apply-operation.ts';
import type { Operation } from './plan-operations.ts';
import { isSameSubtree, readSubtree, removeSubtree } from './subtree.ts';
import type { FolderHandle, TreeIo } from './tree-io.ts';

/**
 * Undoes one operation in any state: not prepared, partly prepared, prepared, applied. An applied entry is restored only if it is
 * exactly what was put there; returns false if it was changed since and was not restored.
 */
export function undoOperation(io: TreeIo, folder: FolderHandle, name: string, operation: Operation): boolean {
  const { temporary, before, after } = operation;
  const aside = asideName(temporary);
  const restored =
    after === undefined
      ? undoRemoval(io, folder, name, temporary)
      : before === undefined
        ? undoCreation(io, folder, name, operation)
        : undoExchange(io, folder, name, operation);
  removeSubtree(io, folder, temporary);
  if (io.stat(folder, aside) !== undefined) removeSubtree(io, folder, aside);
  return restored;
}

function undoRemoval(io: TreeIo, folder: FolderHandle, name: string, temporary: string): boolean {
  if (io.stat(folder, temporary) === undefined) return true;
  return renameBack(io, folder, temporary, name);
}

function undoCreation(io: TreeIo, folder: FolderHandle, name: string, operation: Operation): boolean {
  const { temporary, after } = operation;
  // The operation was not applied, so an entry with the final name is not from this run.
  if (io.stat(folder, temporary) !== undefined) return true;
  const current = readSubtree(io, folder, name);
  if (current === undefined) return true;
  if (!isSameSubtree(current, after)) return false;
  io.rename(folder, name, temporary);
  if (isSameSubtree(readSubtree(io, folder, temporary), after)) return true;
  renameBack(io, folder, temporary, name);
  return false;
}

function undoExchange(io: TreeIo, folder: FolderHandle, name: string, operation: Operation): boolean {
  const { temporary, before, after } = operation;
  const aside = asideName(temporary);
  const current = readSubtree(io, folder, name);
  const isApplied = isSameSubtree(current, after);
  if (io.stat(folder, aside) !== undefined) {
    if (isApplied) io.rename(folder, name, temporary);
    return renameBack(io, folder, aside, name);
  }
  if (!isApplied) return current === undefined || isSameSubtree(current, before);
  const displaced = readSubtree(io, folder, temporary);
  if (displaced === undefined || isSameSubtree(displaced, after)) return true;
  // Only an exchange creates this state, so the file system supports it.
  io.exchange(folder, temporary, name);
  if (isSameSubtree(readSubtree(io, folder, temporary), after)) return true;
  io.exchange(folder, temporary, name);
  return false;
}

function renameBack(io: TreeIo, folder: FolderHandle, from: string, to: string): boolean {
  try {
    io.rename(folder, from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}
