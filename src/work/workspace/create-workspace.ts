import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { KernelLock } from '../../system/kernel-lock.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import type { Backend } from './backend.ts';
import { differingPaths } from './diff-manifests.ts';
import { freezeTree } from './freeze.ts';
import { keepContents } from './keep-contents.ts';
import { listChanges } from './list-changes.ts';
import { readManifest } from './manifest-store.ts';
import { applyChanges, hashManifest, parentOf } from './manifest.ts';
import { promoteChanges } from './promote-changes.ts';
import { readContent } from './read-content.ts';
import { SCRATCH_INSIDE } from './sandbox/plan-sandbox.ts';
import type { Tree } from './tree.ts';
import { currentEpoch, releaseEpoch, withTreeLock } from './tree-lock.ts';
import { walkTree } from './walk-tree.ts';
import { workspaceFolder, writeWorkspaceRecord, type WorkspaceRecord } from './workspace-record.ts';
import type { Change, Drift, Snapshot, Workspace, WorkspaceContext } from './workspace.ts';

/** Joins a backend, which knows how the tree is shown, with what every workspace does alike. */
export function createWorkspace(
  context: WorkspaceContext,
  record: WorkspaceRecord,
  snapshot: Snapshot,
  backend: Backend,
  lock: KernelLock | undefined,
): Workspace {
  const { runId, tree } = record;
  const folder = workspaceFolder(context, runId);
  let base = snapshot;
  let drifted: readonly string[] = [];
  const { spawn, refuseRunning } = createSpawner(runId, backend);
  return {
    runId,
    mode: record.mode,
    sandboxed: record.sandboxed,
    fallbacks: record.fallbacks,
    root: record.sandboxed ? record.mountAt : join(folder, 'copy'),
    get base() {
      return base;
    },
    scratch: {
      host: join(folder, 'scratch'),
      inside: record.sandboxed ? SCRATCH_INSIDE : join(folder, 'scratch'),
    },
    spawn,
    writtenBytes: backend.writtenBytes,
    diff: async (options) => {
      refuseRunning();
      return listChanges(backend, tree.root, readManifest(context, base.hash), options);
    },
    hashAfter: async (changes) => hashManifest(applyChanges(readManifest(context, base.hash), changes)),
    drift: (changes) => findDrift(context, tree, base, changes),
    keepBase: () => keepContents(context, tree.root, readManifest(context, base.hash)),
    rebase: async () => {
      refuseRunning();
      const { snapshot: now, state } = await freezeTree(context, tree);
      const old = readManifest(context, base.hash);
      const moved = differingPaths(old, state.manifest);
      backend.follow(moved, old);
      drifted = [...new Set([...drifted, ...moved])];
      base = now;
      writeWorkspaceRecord(context, { ...record, snapshotId: now.id });
      return base;
    },
    promote: (changes) => {
      refuseRunning();
      return promoteChanges(context, {
        runId,
        root: tree.root,
        kind: 'promotion',
        changes,
        drift: drifted,
        source: (path, entry) => readContent(backend.contentPath(path), entry.type),
        check: () => refuseStale(context, record),
      });
    },
    discard: async () => {
      refuseRunning();
      // First what takes room: on a disk that the run has filled nothing can be written before.
      removeFolder(folder);
      await withTreeLock(context, tree.id, () => releaseEpoch(context, tree.id, runId));
      lock?.remove();
    },
    close: () => lock?.release(),
  };
}

interface Spawner {
  readonly spawn: Workspace['spawn'];
  /** Throws while a command is running. */
  readonly refuseRunning: () => void;
}

/** Runs one command at a time: two mounts over one upper folder are undefined to the kernel. */
function createSpawner(runId: string, backend: Backend): Spawner {
  let running = 0;
  const refuseRunning = (): void => {
    if (running === 0) return;
    throw new Fault('E_CONFLICT', `A command is still running in the workspace of ${runId}.`, {
      details: { run: runId, reason: 'running' },
    });
  };
  const spawn: Workspace['spawn'] = (argv, options) => {
    refuseRunning();
    const started = backend.start(argv, options);
    running += 1;
    const ended = started.ended.finally(() => {
      running -= 1;
    });
    return { ...started, ended };
  };
  return { spawn, refuseRunning };
}

async function findDrift(
  context: WorkspaceContext,
  tree: Tree,
  base: Snapshot,
  changes: readonly Change[],
): Promise<Drift> {
  const { stateHash, manifest } = await walkTree(context, tree);
  if (stateHash === base.hash) return { conflicts: [], others: [] };
  return splitDrift(differingPaths(readManifest(context, base.hash), manifest), changes);
}

/** A path of the run is in conflict also where a folder above or an entry below it changed. */
function splitDrift(moved: readonly string[], changes: readonly Change[]): Drift {
  const own = new Set(changes.map(({ path }) => path));
  const above = new Set(changes.flatMap(({ path }) => foldersOf(path)));
  const touches = (path: string): boolean =>
    own.has(path) || above.has(path) || foldersOf(path).some((folder) => own.has(folder));
  return {
    conflicts: moved.filter((path) => touches(path)),
    others: moved.filter((path) => !touches(path)),
  };
}

function foldersOf(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) folders.push(folder);
  return folders;
}

/** Whoever was taken over must not write: the other one may have done, or undone, the same work. */
function refuseStale(context: WorkspaceContext, { runId, tree, epoch }: WorkspaceRecord): void {
  if (currentEpoch(context, tree.id, runId) === epoch) return;
  throw new Fault('E_CONFLICT', `The run ${runId} was taken over by another process; nothing was written.`, {
    details: { run: runId, reason: 'stale' },
  });
}
