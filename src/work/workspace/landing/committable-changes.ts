import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { isSameEntry } from '../list-changes.ts';
import { systemCode } from '../../../base/system-fault.ts';
import { parentOf } from '../manifest.ts';
import type { TreeChange, TreeEntry } from '../workspace.ts';

/** Reduces changes to what a commit can contain: files and links, executable or not. Ignored paths and empty folders are left out. */
export function committableChanges(changes: readonly TreeChange[]): readonly TreeChange[] {
  return changes.flatMap((change) => {
    const [before, after] = [committed(change.before), committed(change.after)];
    if (change.ignored === true || (before === undefined && after === undefined)) return [];
    if (before !== undefined && after !== undefined && isSameEntry(before, after)) return [];
    const action = before === undefined ? 'create' : after === undefined ? 'delete' : 'modify';
    const type = (after ?? before)?.type ?? change.type;
    return [
      {
        path: change.path,
        action,
        type,
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      } satisfies TreeChange,
    ];
  });
}

/** Whether a commit of the changes has everything that they have. */
export function isCommittable(changes: readonly TreeChange[]): boolean {
  const committed = committableChanges(changes);
  return (
    committed.length === changes.length &&
    committed.every(({ after }, index) => after?.mode === changes[index]?.after?.mode)
  );
}

/** Removes the folders that became empty: a commit has no empty folders. */
export function removeEmptyFolders(root: string, changes: readonly TreeChange[]): void {
  for (const { path, action } of changes) {
    if (action !== 'delete') continue;
    for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder))
      if (!removeIfEmpty(join(root, folder))) break;
  }
}

function committed(entry: TreeEntry | undefined): TreeEntry | undefined {
  if (entry === undefined || entry.type === 'dir') return undefined;
  if (entry.type === 'symlink') return entry;
  return { ...entry, mode: (entry.mode & 0o100) === 0 ? 0o644 : 0o755 };
}

function removeIfEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'ENOENT', 'EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}
