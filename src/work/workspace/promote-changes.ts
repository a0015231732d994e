import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { randomHex } from '../../base/ids.ts';
import { canAnchor } from '../../system/anchored-folder.ts';
import { journalFolder, listTreeIds } from './journal-folder.ts';
import { openLibcIfPresent } from './open-libc.ts';
import { openPackWriter } from './pack-writer.ts';
import { createDiskTreeIo } from './promotion/disk-tree-io.ts';
import type { Operation } from './promotion/plan-operations.ts';
import { listJournals, recoverJournal } from './promotion/recover-journals.ts';
import { runPromotion, type PromotionRequest } from './promotion/run-promotion.ts';
import type { ContentSource } from './promotion/subtree.ts';
import type { TreeIo } from './promotion/tree-io.ts';
import { readContent } from './read-content.ts';
import { treeId } from './resolve-tree.ts';
import { withTreeLock } from './tree-lock.ts';
import type { Change, Promotion, Recovered, WorkspaceContext } from './workspace.ts';

export interface PromoteRequest extends Pick<PromotionRequest, 'runId' | 'root' | 'kind' | 'drift'> {
  readonly changes: readonly Change[];
  readonly source: ContentSource;
  /** Looks at the tree once more, under its lock; throws to refuse. */
  readonly check?: () => void;
}

/** A disk with less than this left is full as soon as somebody else writes too. */
const SPARE_BYTES = 32 * 1024 * 1024;

/** Puts changes into the user's tree under its lock, after ending whatever a process that died left half done. */
export async function promoteChanges(context: WorkspaceContext, request: PromoteRequest): Promise<Promotion> {
  const { runId, root, changes, drift } = request;
  const libc = await openLibcIfPresent();
  const io = createDiskTreeIo(libc);
  const journals = journalFolder(context, treeId(root));
  return withTreeLock(context, treeId(root), () => {
    recoverTree(io, journals);
    request.check?.();
    refuseLowDisk(root, changes);
    const method = runPromotion(io, {
      ...request,
      journals,
      tag: randomHex(6),
      keepOwner: context.uid === 0,
      keep: (operations) => keepBothSides(context, request, operations),
    });
    return {
      runId,
      method,
      drift,
      fallbacks: [
        ...(libc === undefined ? ['The tree was locked by a file and not by the kernel.'] : []),
        ...(canAnchor() ? [] : ['Folders of the tree were named by path and not held open.']),
        ...(method === 'exchange'
          ? []
          : ['Entries were replaced in two steps, since they cannot be exchanged here.']),
      ],
    };
  });
}

/** Ends what is half done in one tree. The caller holds its lock. */
function recoverTree(io: TreeIo, journals: string): readonly Recovered[] {
  return listJournals(io, journals).flatMap((runId) => recoverJournal(io, journals, runId) ?? []);
}

/** Ends every promotion whose process died, in whatever tree. */
export async function recover(context: WorkspaceContext): Promise<readonly Recovered[]> {
  const io = createDiskTreeIo(await openLibcIfPresent());
  const recovered: Recovered[] = [];
  for (const id of listTreeIds(context)) {
    const ended = await withTreeLock(context, id, () => recoverTree(io, journalFolder(context, id)));
    recovered.push(...ended);
  }
  return recovered;
}

/** Refuses work that would fill the disk of a folder. */
export function refuseLowDisk(folder: string, changes: readonly Change[] = []): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const needed = SPARE_BYTES + changes.reduce((sum, { after }) => sum + (after?.size ?? 0), 0);
  if (free >= needed) return;
  throw new Fault('E_IO', `The disk of ${folder} has ${free} bytes left, and ${needed} are needed.`, {
    hint: 'Free some space, then run the command again.',
    details: { path: folder, reason: 'ENOSPC', free_bytes: free, needed_bytes: needed },
  });
}

/** Keeps what is replaced and what replaces it, in one pack of the run: a rollback and a replay need nothing else. */
function keepBothSides(
  context: WorkspaceContext,
  { runId, root, source }: PromoteRequest,
  operations: readonly Operation[],
): void {
  const pack = openPackWriter(context, `run-${runId}`);
  const kept = new Set<string>();
  const keep = (hash: string, pieces: () => Iterable<Uint8Array>): void => {
    if (kept.has(hash)) return;
    const object = pack.begin();
    for (const piece of pieces()) object.write(piece);
    kept.add(object.end());
  };
  try {
    for (const { path: top, before = [], after = [] } of operations) {
      const full = (path: string): string => (path === '' ? top : `${top}/${path}`);
      for (const { path, entry } of before)
        if (entry.type !== 'dir') keep(entry.hash, () => readContent(join(root, full(path)), entry.type));
      for (const { path, entry } of after)
        if (entry.type !== 'dir') keep(entry.hash, () => source(full(path), entry));
    }
    pack.finish();
  } catch (error) {
    pack.abandon();
    throw error;
  }
}
