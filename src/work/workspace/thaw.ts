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
import type { Change, Promotion, WorkspaceContext } from './workspace.ts';

/** Brings a tree back to a snapshot, all or nothing. HEAD and index stay: they are the user's. */
export async function thaw(context: WorkspaceContext, snapshotId: string): Promise<Promotion> {
  const snapshot = readSnapshot(context, snapshotId);
  const { manifest } = await walkTree(context, await resolveTree(context, snapshot.root));
  const changes = diffManifests(manifest, readManifest(context, snapshot.hash));
  refuseLost(context, changes);
  return promoteChanges(context, {
    runId: `thaw-${randomId()}`,
    root: snapshot.root,
    kind: 'thaw',
    changes,
    drift: [],
    source: objectSource(context),
  });
}

function refuseLost(context: WorkspaceContext, changes: readonly Change[]): void {
  const objects = indexObjects(context);
  const lost = changes.filter(
    ({ after }) => after !== undefined && after.type !== 'dir' && !objects.has(after.hash),
  );
  if (lost.length === 0) return;
  throw new Fault('E_INTEGRITY', `The content of ${lost.length} paths of the snapshot was not kept.`, {
    hint: 'Only a snapshot taken with contents, or one that a promotion left, can be brought back.',
    details: { paths: lost.map(({ path }) => path) },
  });
}
