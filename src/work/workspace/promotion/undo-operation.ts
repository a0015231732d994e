import { systemCode } from '../../../base/system-fault.ts';
import { asideName } from './apply-operation.ts';
import type { Operation } from './plan-operations.ts';
import { isSameSubtree, readSubtree, removeSubtree } from './subtree.ts';
import type { FolderHandle, TreeIo } from './tree-io.ts';

/**
 * Takes one operation back, however far it came: not staged, half staged, staged, in place. What is in place is touched only where
 * it is exactly what we put there; tells false where somebody changed it since and it was left alone.
 */
export function undoOperation(io: TreeIo, folder: FolderHandle, name: string, operation: Operation): boolean {
  const { temporary, before, after } = operation;
  const aside = asideName(temporary);
  const left =
    after === undefined
      ? undoRemoval(io, folder, name, temporary)
      : before === undefined
        ? undoCreation(io, folder, name, operation)
        : undoExchange(io, folder, name, operation);
  removeSubtree(io, folder, temporary);
  if (io.look(folder, aside) !== undefined) removeSubtree(io, folder, aside);
  return left;
}

function undoRemoval(io: TreeIo, folder: FolderHandle, name: string, temporary: string): boolean {
  if (io.look(folder, temporary) === undefined) return true;
  return renameBack(io, folder, temporary, name);
}

function undoCreation(io: TreeIo, folder: FolderHandle, name: string, operation: Operation): boolean {
  const { temporary, after } = operation;
  // Still, or again, beside its place: whatever is in the place is somebody else's.
  if (io.look(folder, temporary) !== undefined) return true;
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
  const isOurs = isSameSubtree(current, after);
  if (io.look(folder, aside) !== undefined) {
    if (isOurs) io.rename(folder, name, temporary);
    return renameBack(io, folder, aside, name);
  }
  if (!isOurs) return current === undefined || isSameSubtree(current, before);
  const displaced = readSubtree(io, folder, temporary);
  if (displaced === undefined || isSameSubtree(displaced, after)) return true;
  // Only an exchange puts it there, so the file system can do one.
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
