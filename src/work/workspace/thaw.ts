import { Fault } from '../../base/fault.ts';
import { randomId } from '../../base/ids.ts';
import { diffManifests } from './diff-manifests.ts';
import { readManifest } from './manifest-store.ts';
import { indexObjects } from './object-store.ts';
import { promoteChanges } from './promote-changes.ts';
import { readSnapshot } from './read-snapshot.ts';
import { resolveTree } from './resolve-tree.ts';
import { objectSource } from './rollback.ts';
import { walkTree } from './walk-tree.ts';
import type { Change, Promotion, WorkspaceWorld } from './workspace.ts';

/** Brings a tree back to a snapshot, all or nothing. HEAD and index stay: they are the user's. */
export async function thaw(world: WorkspaceWorld, snapshotId: string): Promise<Promotion> {
  const snapshot = readSnapshot(world, snapshotId);
  const { manifest } = await walkTree(world, await resolveTree(world, snapshot.root));
  const changes = diffManifests(manifest, readManifest(world, snapshot.hash));
  refuseLost(world, changes);
  return promoteChanges(world, {
    runId: `thaw-${randomId()}`,
    root: snapshot.root,
    kind: 'thaw',
    changes,
    drift: [],
    source: objectSource(world),
  });
}

function refuseLost(world: WorkspaceWorld, changes: readonly Change[]): void {
  const objects = indexObjects(world);
  const lost = changes.filter(
    ({ after }) => after !== undefined && after.type !== 'dir' && !objects.has(after.hash),
  );
  if (lost.length === 0) return;
  throw new Fault('E_INTEGRITY', `The content of ${lost.length} paths of the snapshot was not kept.`, {
    hint: 'Only a snapshot taken with contents, or one that a promotion left, can be brought back.',
    details: { paths: lost.map(({ path }) => path) },
  });
}
