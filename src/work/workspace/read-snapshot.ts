import { join } from 'node:path';
import * as v from 'valibot';
import { damaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { int } from '../../base/schema.ts';
import { readStored, type DocumentShape } from '../../system/stored-document.ts';
import type { Snapshot, WorkspaceContext } from './workspace.ts';

const SNAPSHOT: DocumentShape<Snapshot> = {
  hint: () =>
    'Restore it from a backup. Without it, the runs that started from this state cannot be replayed; receipts and rollbacks are not affected.',
  schema: v.object({
    id: v.string(),
    root: v.string(),
    hash: v.string(),
    head: v.nullable(v.string()),
    branch: v.nullable(v.string()),
    indexHash: v.nullable(v.string()),
    takenAt: v.string(),
    entries: int(),
    ownEntries: v.boolean(),
    skipped: v.array(v.object({ path: v.string() })),
  }),
};

/** Reads a snapshot taken by `takeSnapshot`. */
export function readSnapshot(context: WorkspaceContext, id: string): Snapshot {
  const path = join(snapshotFolder(context), `${id}.json`);
  const snapshot = /^[0-9a-f]{32}$/u.test(id) ? readStored(path, SNAPSHOT) : undefined;
  if (snapshot === undefined)
    throw new Fault('E_NOT_FOUND', `Unknown snapshot: ${id}.`, { details: { snapshot: id } });
  if (snapshot.id !== id) throw damaged(path, `it is snapshot ${snapshot.id}`, SNAPSHOT.hint(path));
  return snapshot;
}

export function snapshotFolder(context: WorkspaceContext): string {
  return join(context.folder, 'snapshots');
}
