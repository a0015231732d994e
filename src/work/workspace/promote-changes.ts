import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { isDamaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { randomHex } from '../../base/ids.ts';
import { canAnchor } from '../../system/anchored-folder.ts';
import { assertNoGitPaths } from './git-name.ts';
import { promotionLogFolder, listTreeIds } from './promotion-log-folder.ts';
import { openLibcIfPresent } from './open-libc.ts';
import { openPackWriter } from './pack-writer.ts';
import { createDiskTreeIo } from './promotion/disk-tree-io.ts';
import type { Operation } from './promotion/plan-operations.ts';
import { listOpenPromotions, recoverPromotion } from './promotion/recover-promotion.ts';
import { runPromotion, type PromotionRequest } from './promotion/run-promotion.ts';
import type { ContentSource } from './promotion/subtree.ts';
import type { TreeIo } from './promotion/tree-io.ts';
import { readContent } from './read-content.ts';
import { treeId } from './resolve-tree.ts';
import { withTreeLock } from './tree-lock.ts';
import type { TreeChange, Promotion, Recovered, WorkspaceContext } from './workspace.ts';

export interface PromoteRequest extends Pick<PromotionRequest, 'runId' | 'root' | 'kind' | 'drift'> {
  readonly changes: readonly TreeChange[];
  readonly source: ContentSource;
  /** Checks the tree again under its lock; throws to cancel the promotion. */
  readonly check?: () => void;
}

/** Free space that is kept for other writers. */
const RESERVED_BYTES = 32 * 1024 * 1024;

/** Promotes changes to the user's tree under its lock, after recovering interrupted promotions. */
export async function promoteChanges(context: WorkspaceContext, request: PromoteRequest): Promise<Promotion> {
  const { runId, root, changes, drift } = request;
  assertNoGitPaths(changes);
  const libc = await openLibcIfPresent();
  const io = createDiskTreeIo(libc);
  const logs = promotionLogFolder(context, treeId(root));
  return withTreeLock(context, treeId(root), () => {
    recoverTree(io, logs);
    request.check?.();
    assertFreeSpace(root, changes);
    const method = runPromotion(io, {
      ...request,
      logs,
      tag: randomHex(6),
      keepOwner: context.uid === 0,
      store: (operations) => storeBothSides(context, request, operations),
    });
    return {
      runId,
      method,
      drift,
      fallbacks: [
        ...(libc === undefined ? ['The tree was locked with a lock file, not with a kernel lock.'] : []),
        ...(canAnchor() ? [] : ['Folders of the tree were accessed by path, not by open descriptors.']),
        ...(method === 'exchange'
          ? []
          : ['Entries were replaced in two steps, because this file system cannot exchange them.']),
      ],
    };
  });
}

/** Recovers the interrupted promotions of one tree. The caller holds its lock. */
function recoverTree(io: TreeIo, logs: string): readonly Recovered[] {
  return listOpenPromotions(io, logs).flatMap((runId) => recoverPromotion(io, logs, runId) ?? []);
}

/** Recovers the interrupted promotions of all trees. A damaged log stops only the recovery of its tree. */
export async function recover(
  context: WorkspaceContext,
  onDamage: (fault: Fault) => void = (fault) => {
    throw fault;
  },
): Promise<readonly Recovered[]> {
  const io = createDiskTreeIo(await openLibcIfPresent());
  const recovered: Recovered[] = [];
  for (const id of listTreeIds(context)) {
    try {
      const recoveredInTree = await withTreeLock(context, id, () =>
        recoverTree(io, promotionLogFolder(context, id)),
      );
      recovered.push(...recoveredInTree);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      onDamage(error);
    }
  }
  return recovered;
}

/** Throws if a folder's disk has not enough free space. */
export function assertFreeSpace(folder: string, changes: readonly TreeChange[] = []): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const needed = RESERVED_BYTES + changes.reduce((sum, { after }) => sum + (after?.size ?? 0), 0);
  if (free >= needed) return;
  throw new Fault('E_IO', `The disk of ${folder} has ${free} bytes free, but ${needed} are needed.`, {
    hint: 'Free disk space, then run the command again.',
    details: { path: folder, reason: 'ENOSPC', free_bytes: free, needed_bytes: needed },
  });
}

/** Stores the old and the new contents in one pack of the run, for rollbacks and replays. */
function storeBothSides(
  context: WorkspaceContext,
  { runId, root, source }: PromoteRequest,
  operations: readonly Operation[],
): void {
  const pack = openPackWriter(context, `run-${runId}`);
  const stored = new Set<string>();
  const store = (hash: string, pieces: () => Iterable<Uint8Array>): void => {
    if (stored.has(hash)) return;
    const object = pack.begin();
    for (const piece of pieces()) object.write(piece);
    stored.add(object.end());
  };
  try {
    for (const { path: top, before = [], after = [] } of operations) {
      const full = (path: string): string => (path === '' ? top : `${top}/${path}`);
      for (const { path, entry } of before)
        if (entry.type !== 'dir') store(entry.hash, () => readContent(join(root, full(path)), entry.type));
      for (const { path, entry } of after)
        if (entry.type !== 'dir') store(entry.hash, () => source(full(path), entry));
    }
    pack.finish();
  } catch (error) {
    pack.abandon();
    throw error;
  }
}
