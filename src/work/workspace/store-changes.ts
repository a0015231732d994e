import { join } from 'node:path';
import { systemCode } from '../../base/system-fault.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import { indexObjects } from './object-store.ts';
import { openPackWriter } from './pack-writer.ts';
import { CHANGED_CODES } from './store-contents.ts';
import { readContent } from './read-content.ts';
import type { TreeChange, TreeEntry, WorkspaceContext } from './workspace.ts';

/** The run, and where the two sides of its changes are. */
export interface ChangedRun {
  readonly runId: string;
  /** The tree, with the content before the run. */
  readonly root: string;
  /** The path of the content after the run. */
  readonly contentPath: (path: string) => string;
}

/**
 * Stores both sides of the changes of a run in its pack, unless they are stored already. A side that was changed meanwhile is not
 * stored. False if the changes are larger than the limit; then nothing is stored.
 */
export function storeChanges(
  context: WorkspaceContext,
  { runId, root, contentPath }: ChangedRun,
  changes: readonly TreeChange[],
): boolean {
  const bytes = changes.reduce((sum, { before, after }) => sum + (before?.size ?? 0) + (after?.size ?? 0), 0);
  if (bytes > WORK_LIMITS.keptChangesBytes) return false;
  const known = indexObjects(context);
  const isKnown = (entry: TreeEntry | undefined): boolean => !entry?.hash || known.has(entry.hash);
  if (changes.every(({ before, after }) => isKnown(before) && isKnown(after))) return true;
  const pack = openPackWriter(context, `run-${runId}`);
  const stored = new Set<string>();
  const store = (entry: TreeEntry | undefined, path: string): void => {
    if (entry === undefined || entry.type === 'dir' || stored.has(entry.hash)) return;
    const object = pack.begin();
    try {
      for (const piece of readContent(path, entry.type)) object.write(piece);
    } catch (error) {
      if (!CHANGED_CODES.has(systemCode(error) ?? '')) throw error;
    }
    stored.add(object.end());
  };
  try {
    for (const { path, before, after } of changes) {
      store(before, join(root, path));
      store(after, contentPath(path));
    }
    pack.finish();
    return true;
  } catch (error) {
    pack.abandon();
    throw error;
  }
}
