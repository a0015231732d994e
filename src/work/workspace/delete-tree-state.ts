import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listNames } from '../../system/list-names.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import { listTreeIds } from './promotion-log-folder.ts';
import { snapshotFolder } from './read-snapshot.ts';
import { treeId } from './resolve-tree.ts';
import { currentEpoch, treeFolder, withTreeLock } from './tree-lock.ts';
import type { Snapshot, WorkspaceContext } from './workspace.ts';

/** The state of a tree is a cache; without it the next run reads the tree again. */
const UNUSED_MS = 30 * 86_400_000;

/** Deletes what is known about a scratch tree that no run uses: its snapshot and its state. */
export function deleteScratchTree(context: WorkspaceContext, { id, root }: Snapshot): void {
  rmSync(join(snapshotFolder(context), `${id}.json`), { force: true });
  removeFolder(treeFolder(context, treeId(root)));
}

/** Deletes the state of trees that were not used for a month; the state of a tree with an open run or a promotion stays. */
export async function deleteUnusedTrees(
  context: WorkspaceContext,
  { open }: { readonly open: ReadonlySet<string> },
): Promise<void> {
  for (const id of listTreeIds(context)) {
    const folder = treeFolder(context, id);
    const isUsed =
      listNames(join(folder, 'journals')).length > 0 ||
      ['epoch.json', 'stats'].some((name) => isRecent(context, join(folder, name))) ||
      [...open].some((runId) => currentEpoch(context, id, runId) !== undefined);
    if (!isUsed) await withTreeLock(context, id, () => removeFolder(folder));
  }
}

function isRecent({ clock }: WorkspaceContext, path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && clock.now() - stats.mtimeMs < UNUSED_MS;
}
