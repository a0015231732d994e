import { Fault } from '../../base/fault.ts';
import { randomId } from '../../base/ids.ts';
import { diffManifests } from './diff-manifests.ts';
import { readManifest } from './manifest-store.ts';
import { indexObjects } from './object-store.ts';
import { promoteChanges } from './promote-changes.ts';
import { readSnapshot } from './read-snapshot.ts';
import { resolveTree } from './resolve-tree.ts';
import { objectSource } from './rollback-promotion.ts';
import { walkTree } from './walk-tree.ts';
import type { TreeChange, Promotion, WorkspaceContext } from './workspace.ts';

/** Restores a tree to a snapshot, all or nothing. HEAD and the index are not changed. */
export async function restoreSnapshot(context: WorkspaceContext, snapshotId: string): Promise<Promotion> {
  const snapshot = readSnapshot(context, snapshotId);
  const { manifest } = await walkTree(context, await resolveTree(context, snapshot.root));
  const changes = diffManifests(manifest, readManifest(context, snapshot.hash));
  assertStored(context, changes);
  return promoteChanges(context, {
    // The name of the operation in stored promotion logs.
    runId: `thaw-${randomId()}`,
    root: snapshot.root,
    kind: 'thaw',
    changes,
    drift: [],
    source: objectSource(context),
  });
}

function assertStored(context: WorkspaceContext, changes: readonly TreeChange[]): void {
  const objects = indexObjects(context);
  const missing = changes.filter(
    ({ after }) => after !== undefined && after.type !== 'dir' && !objects.has(after.hash),
  );
  if (missing.length === 0) return;
  throw new Fault('E_DAMAGED', `The content of ${missing.length} paths of the snapshot was not stored.`, {
    hint: 'Only a snapshot taken with contents, or one from a promotion, can be restored.',
    details: { paths: missing.map(({ path }) => path) },
  });
}
