import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listNames } from '../../system/list-names.ts';
import { deleteUnusedTrees } from './delete-tree-state.ts';
import { deleteGitContents } from './git-contents.ts';
import { listTreeIds } from './promotion-log-folder.ts';
import { openLibcIfPresent } from './open-libc.ts';
import { tryKernelLock } from '../../system/kernel-lock.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import { removeStaleTemporaryFiles } from '../../system/remove-stale-temporary-files.ts';
import { listPacks, readPackIndex } from './object-store.ts';
import { packFolder } from './pack-writer.ts';
import { readSnapshot, snapshotFolder } from './read-snapshot.ts';
import { readStatCacheState } from './stat-cache.ts';
import { deleteTreeContents } from './tree-contents.ts';
import type { WorkspaceContext } from './workspace.ts';

export interface Keep {
  /** Content that a receipt or replay still needs. */
  readonly objects: ReadonlySet<string>;
  /** Runs whose workspace, promotion and stored contents are kept. */
  readonly runs: ReadonlySet<string>;
  /** The open ones among these runs. */
  readonly open: ReadonlySet<string>;
  readonly snapshots: ReadonlySet<string>;
  /** Keeps all contents, snapshots and manifests: what some run needs is unknown. */
  readonly everything?: boolean;
}

export interface DeletedData {
  readonly packs: number;
  readonly workspaces: number;
  readonly snapshots: number;
  readonly manifests: number;
  /** Folders of replays, diffs and other temporary ones whose process was killed. */
  readonly replays: number;
}

/** The names of the data that is not in `keep`. */
export interface UnusedData {
  readonly packs: readonly string[];
  readonly workspaces: readonly string[];
  readonly snapshots: readonly string[];
  readonly manifests: readonly string[];
  readonly replays: readonly string[];
}

/** Lists what `deleteUnused` would delete, except for locked workspaces. Contract: reads only. */
export function listUnused(context: WorkspaceContext, keep: Keep): UnusedData {
  const isKnown = keep.everything !== true;
  const snapshots = isKnown ? unusedSnapshots(context, keep) : [];
  return {
    packs: isKnown ? unusedPacks(context, keep) : [],
    workspaces: unusedWorkspaces(context, keep),
    snapshots,
    manifests: isKnown ? unusedManifests(context, new Set(snapshots)) : [],
    replays: abandonedReplays(context),
  };
}

/** The paths of unused data. */
export function pathsOfUnused(context: WorkspaceContext, unused: UnusedData): readonly string[] {
  const { packs, workspaces, snapshots, manifests, replays } = unused;
  const at = (folder: string, names: readonly string[]): string[] =>
    names.map((name) => join(context.folder, folder, name));
  return [
    ...packs.map((name) => join(packFolder(context), name)),
    ...at('workspaces', workspaces),
    ...snapshots.map((name) => join(snapshotFolder(context), name)),
    ...at('manifests', manifests),
    ...at('', replays),
  ];
}

/** Deletes data that is not in `keep`. A locked workspace and an open promotion are never deleted. */
export async function deleteUnused(context: WorkspaceContext, keep: Keep): Promise<DeletedData> {
  const workspaces = await collectWorkspaces(context, keep);
  const packs = keep.everything === true ? 0 : collectPacks(context, keep);
  if (keep.everything !== true) {
    deleteGitContents(context, keep.objects);
    deleteTreeContents(context, keep.objects);
  }
  for (const id of listTreeIds(context)) {
    for (const name of listNames(join(context.folder, 'trees', id, 'journals')))
      if (name.endsWith('.done') && !keep.runs.has(runOf(name)))
        removeFile(context, join('trees', id, 'journals'), name);
  }
  await deleteUnusedTrees(context, keep);
  for (const runId of listNames(join(context.folder, 'sessions')))
    if (!keep.runs.has(runId)) removeFolder(join(context.folder, 'sessions', runId));
  const snapshots = keep.everything === true ? 0 : collectSnapshots(context, keep);
  const trees = listTreeIds(context).map((id) => join('trees', id));
  for (const folder of ['', 'objects', 'snapshots', 'manifests', ...trees])
    removeStaleTemporaryFiles(join(context.folder, folder));
  const manifests = keep.everything === true ? 0 : collectManifests(context);
  return { packs, workspaces, snapshots, manifests, replays: collectReplays(context) };
}

async function collectWorkspaces(context: WorkspaceContext, keep: Keep): Promise<number> {
  const libc = await openLibcIfPresent();
  let count = 0;
  for (const name of unusedWorkspaces(context, keep)) {
    const runId = runOfWorkspace(name);
    const folder = join(context.folder, 'workspaces', runId);
    const lock = libc === undefined ? undefined : tryKernelLock(libc, `${folder}.lock`);
    if (libc !== undefined && lock === undefined) continue;
    removeFolder(folder);
    lock?.remove();
    if (name === runId) count += 1;
  }
  return count;
}

/** Folders and locks of workspaces; a process that was killed during cleanup can leave a lock without a folder. */
function unusedWorkspaces(context: WorkspaceContext, keep: Keep): readonly string[] {
  return listNames(join(context.folder, 'workspaces')).filter((name) => {
    const runId = runOfWorkspace(name);
    const folder = join(context.folder, 'workspaces', runId);
    return !keep.open.has(runId) && !(keep.runs.has(runId) && existsSync(folder));
  });
}

function runOfWorkspace(name: string): string {
  return name.replace(/\.lock$/u, '');
}

/** Folders of replays, of commits and indexes while they are written, and of kept checkouts while they are deleted. */
const TEMPORARY = /^(?:replay|diff|commit|index|kept)-/u;
/** No replay takes a day. */
const REPLAY_MS = 86_400_000;

function abandonedReplays(context: WorkspaceContext): readonly string[] {
  return listNames(context.folder).filter((name) => {
    if (!TEMPORARY.test(name)) return false;
    const stats = statSync(join(context.folder, name), { throwIfNoEntry: false });
    return stats !== undefined && context.clock.now() - stats.mtimeMs > REPLAY_MS;
  });
}

function collectReplays(context: WorkspaceContext): number {
  const abandoned = abandonedReplays(context);
  for (const name of abandoned) removeFolder(join(context.folder, name));
  return abandoned.length;
}

function unusedPacks(context: WorkspaceContext, keep: Keep): readonly string[] {
  return listPacks(context).filter((name) => {
    if (keep.runs.has(runOf(name.replace(/^run-/u, '')))) return false;
    return !Object.keys(readPackIndex(join(packFolder(context), name))).some((hash) =>
      keep.objects.has(hash),
    );
  });
}

function collectPacks(context: WorkspaceContext, keep: Keep): number {
  const unused = unusedPacks(context, keep);
  for (const name of unused) removeFolder(join(packFolder(context), name));
  return unused.length;
}

function unusedSnapshots(context: WorkspaceContext, keep: Keep): readonly string[] {
  return listNames(join(context.folder, 'snapshots')).filter(
    (name) => name.endsWith('.json') && !keep.snapshots.has(name.slice(0, -'.json'.length)),
  );
}

function collectSnapshots(context: WorkspaceContext, keep: Keep): number {
  const unused = unusedSnapshots(context, keep);
  for (const name of unused) rmSync(join(snapshotFolder(context), name), { force: true });
  return unused.length;
}

/** A manifest is needed by its snapshots and by the stat cache of a tree; only snapshots that a run needs are left. */
function unusedManifests(
  context: WorkspaceContext,
  without: ReadonlySet<string> = new Set(),
): readonly string[] {
  const needed = new Set([
    ...listNames(join(context.folder, 'snapshots'))
      .filter((name) => isComplete(name) && !without.has(name))
      .map((name) => readSnapshot(context, name.slice(0, -'.json'.length)).hash),
    ...listTreeIds(context).map((id) => readStatCacheState(context, id)),
  ]);
  return listNames(join(context.folder, 'manifests')).filter((hash) => isComplete(hash) && !needed.has(hash));
}

function collectManifests(context: WorkspaceContext): number {
  const unused = unusedManifests(context);
  for (const hash of unused) removeFile(context, 'manifests', hash);
  return unused.length;
}

/** Another process may be writing a temporary file. */
function isComplete(name: string): boolean {
  return !name.endsWith('.tmp');
}

/** The record of a rollback belongs to the run that it rolled back. */
function runOf(name: string): string {
  return name.replace(/\.(?:done|pack)$/u, '').replace(/\.rollback$/u, '');
}

function removeFile(context: WorkspaceContext, folder: string, name: string): void {
  rmSync(join(context.folder, folder, name), { force: true });
}
