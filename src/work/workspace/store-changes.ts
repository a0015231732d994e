import { join } from 'node:path';
import { systemCode } from '../../base/system-fault.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import { indexObjects, readLocation } from './object-store.ts';
import { openPackWriter, type PackWriter } from './pack-writer.ts';
import { CHANGED_CODES } from './store-contents.ts';
import { readCommitted, type EarlierEntry } from './read-committed.ts';
import { readContent } from './read-content.ts';
import type { TreeChange, TreeEntry, WorkspaceContext } from './workspace.ts';

/** The run, and where the two sides of its changes are. */
export interface ChangedRun {
  readonly runId: string;
  /** The tree, with the content before the run unless others have changed it since. */
  readonly root: string;
  /** The commit of the tree before the run. */
  readonly head: string | null;
  /** The path of the content after the run. */
  readonly contentPath: (path: string) => string;
}

/**
 * Stores both sides of the changes of a run in its pack, unless they are stored already. If others have changed a file in the tree since,
 * its content before the run is taken from git; it is not stored if git does not have it either. False if the changes are larger than
 * the limit; then nothing is stored.
 */
export async function storeChanges(
  context: WorkspaceContext,
  { runId, root, head, contentPath }: ChangedRun,
  changes: readonly TreeChange[],
): Promise<boolean> {
  const bytes = changes.reduce((sum, { before, after }) => sum + (before?.size ?? 0) + (after?.size ?? 0), 0);
  if (bytes > WORK_LIMITS.keptChangesBytes) return false;
  const known = indexObjects(context);
  const isKnown = (entry: TreeEntry | undefined): boolean => !entry?.hash || known.has(entry.hash);
  if (changes.every(({ before, after }) => isKnown(before) && isKnown(after))) return true;
  const pack = openPackWriter(context, `run-${runId}`);
  const stored = new Set<string>();
  const store = (entry: TreeEntry, pieces: () => Iterable<Uint8Array>): void => {
    if (entry.type !== 'dir' && !stored.has(entry.hash) && storeEntry(pack, entry, pieces))
      stored.add(entry.hash);
  };
  try {
    for (const { path, before, after } of changes) {
      if (before) store(before, () => readContent(join(root, path), before.type));
      if (after) store(after, () => readContent(contentPath(path), after.type));
    }
    const lost: EarlierEntry[] = [];
    for (const { path, before } of changes) {
      if (!before?.hash) continue;
      const location = known.get(before.hash);
      // The new pack may replace the pack that has this content.
      if (location !== undefined) store(before, () => readLocation(location));
      if (!stored.has(before.hash)) lost.push({ path, entry: before });
    }
    const committed = await readCommitted(context, { root, head }, lost);
    for (const { entry } of lost) store(entry, () => [committed.get(entry.hash) ?? Buffer.alloc(0)]);
    pack.finish();
    return true;
  } catch (error) {
    pack.abandon();
    throw error;
  }
}

/** Stores a content; false if it differs from the entry, because the file was changed or deleted meanwhile. */
function storeEntry(
  pack: PackWriter,
  { hash, size }: TreeEntry,
  pieces: () => Iterable<Uint8Array>,
): boolean {
  const object = pack.begin();
  let bytes = 0;
  try {
    for (const piece of pieces()) {
      bytes += piece.length;
      if (bytes > size) return false;
      object.write(piece);
    }
  } catch (error) {
    if (CHANGED_CODES.has(systemCode(error) ?? '')) return false;
    throw error;
  }
  return object.end() === hash;
}
