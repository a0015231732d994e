import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../base/system-fault.ts';
import { listTreeIds } from './journal-folder.ts';
import { openLibcIfPresent } from './open-libc.ts';
import { tryKernelLock } from '../../system/kernel-lock.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import { removeStaleTemporaryFiles } from '../../system/remove-stale-temporary-files.ts';
import { listPacks, readPackIndex } from './object-store.ts';
import { packFolder } from './pack-writer.ts';
import { readSnapshot, snapshotFolder } from './read-snapshot.ts';
import { readStatCacheState } from './stat-cache.ts';
import type { WorkspaceContext } from './workspace.ts';

export interface Keep {
  /** Content that a receipt or replay still needs. */
  readonly objects: ReadonlySet<string>;
  /** Runs whose workspace, promotion and kept content stay. */
  readonly runs: ReadonlySet<string>;
  /** Those of them that have not ended. */
  readonly open: ReadonlySet<string>;
  readonly snapshots: ReadonlySet<string>;
}

export interface DeletedData {
  readonly packs: number;
  readonly workspaces: number;
  readonly snapshots: number;
  readonly manifests: number;
}

/** Removes what nothing needs any more. A workspace that a process holds, and a promotion under way, are always needed. */
export async function deleteUnused(context: WorkspaceContext, keep: Keep): Promise<DeletedData> {
  const workspaces = await collectWorkspaces(context, keep);
  const packs = collectPacks(context, keep);
  for (const id of listTreeIds(context)) {
    for (const name of namesIn(context, join('trees', id, 'journals')))
      if (name.endsWith('.done') && !keep.runs.has(runOf(name)))
        removeFile(context, join('trees', id, 'journals'), name);
  }
  const snapshots = collectSnapshots(context, keep);
  const trees = listTreeIds(context).map((id) => join('trees', id));
  for (const folder of ['', 'objects', 'snapshots', 'manifests', ...trees])
    removeStaleTemporaryFiles(join(context.folder, folder));
  return { packs, workspaces, snapshots, manifests: collectManifests(context) };
}

async function collectWorkspaces(context: WorkspaceContext, keep: Keep): Promise<number> {
  const libc = await openLibcIfPresent();
  let count = 0;
  for (const name of namesIn(context, 'workspaces')) {
    const runId = name.replace(/\.lock$/u, '');
    const folder = join(context.folder, 'workspaces', runId);
    // A process that was killed as it cleared up leaves a lock beside nothing.
    if (keep.open.has(runId) || (keep.runs.has(runId) && existsSync(folder))) continue;
    const lock = libc === undefined ? undefined : tryKernelLock(libc, `${folder}.lock`);
    if (libc !== undefined && lock === undefined) continue;
    removeFolder(folder);
    lock?.remove();
    if (name === runId) count += 1;
  }
  return count;
}

function collectPacks(context: WorkspaceContext, keep: Keep): number {
  const doomed = listPacks(context).filter((name) => {
    if (keep.runs.has(runOf(name.replace(/^run-/u, '')))) return false;
    return !Object.keys(readPackIndex(join(packFolder(context), name))).some((hash) =>
      keep.objects.has(hash),
    );
  });
  for (const name of doomed) rmSync(join(packFolder(context), name), { force: true });
  return doomed.length;
}

function collectSnapshots(context: WorkspaceContext, keep: Keep): number {
  const doomed = namesIn(context, 'snapshots').filter(
    (name) => name.endsWith('.json') && !keep.snapshots.has(name.slice(0, -'.json'.length)),
  );
  for (const name of doomed) rmSync(join(snapshotFolder(context), name), { force: true });
  return doomed.length;
}

/** A manifest is needed by its snapshots and by the memory of the last look at a tree. */
function collectManifests(context: WorkspaceContext): number {
  const needed = new Set([
    ...namesIn(context, 'snapshots')
      .filter(isWhole)
      .map((name) => readSnapshot(context, name.slice(0, -'.json'.length)).hash),
    ...listTreeIds(context).map((id) => readStatCacheState(context, id)),
  ]);
  const doomed = namesIn(context, 'manifests').filter((hash) => isWhole(hash) && !needed.has(hash));
  for (const hash of doomed) removeFile(context, 'manifests', hash);
  return doomed.length;
}

/** Another process may be writing what is not. */
function isWhole(name: string): boolean {
  return !name.endsWith('.tmp');
}

/** A rollback's own record belongs to the run that it undid. */
function runOf(name: string): string {
  return name.replace(/\.(?:done|pack)$/u, '').replace(/\.rollback$/u, '');
}

function removeFile(context: WorkspaceContext, folder: string, name: string): void {
  rmSync(join(context.folder, folder, name), { force: true });
}

function namesIn(context: WorkspaceContext, folder: string): readonly string[] {
  try {
    return readdirSync(join(context.folder, folder));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
