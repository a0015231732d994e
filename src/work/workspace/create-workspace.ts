import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { KernelLock } from '../../system/kernel-lock.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import type { Backend } from './backend.ts';
import { differingPaths } from './diff-manifests.ts';
import { takeTreeSnapshot } from './take-snapshot.ts';
import { storeChanges } from './store-changes.ts';
import { storeBase } from './store-contents.ts';
import { isMounted } from './isolation.ts';
import { listChanges } from './list-changes.ts';
import { readManifest } from './manifest-store.ts';
import { applyChanges, hashManifest, parentOf } from './manifest.ts';
import { promoteChanges } from './promote-changes.ts';
import { readContent } from './read-content.ts';
import { privateHome } from './sandbox/hidden-paths.ts';
import { SCRATCH_INSIDE } from './sandbox/plan-sandbox.ts';
import type { Tree } from './tree.ts';
import { currentEpoch, releaseEpoch, withTreeLock } from './tree-lock.ts';
import { walkTree } from './walk-tree.ts';
import { workspaceFolder, writeWorkspaceRecord, type WorkspaceRecord } from './workspace-record.ts';
import type { TreeChange, Drift, Snapshot, Workspace, WorkspaceContext } from './workspace.ts';

/** Creates a workspace from a backend. */
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
  const { spawn, assertIdle } = createSpawner(runId, backend);
  return {
    ...describeWorkspace(context, record),
    get base() {
      return base;
    },
    spawn,
    writtenBytes: backend.writtenBytes,
    diff: async (options) => {
      if (options?.whilePaused !== true) assertIdle();
      return listChanges(backend, tree.root, readManifest(context, base.hash), options, record.declared);
    },
    hashAfter: async (changes) => hashManifest(applyChanges(readManifest(context, base.hash), changes)),
    drift: (changes) => findDrift(context, tree, base, changes),
    storeBase: () => storeBase(context, tree.root, readManifest(context, base.hash)),
    storeChanges: (changes) =>
      storeChanges(
        context,
        { runId, root: tree.root, head: base.head, contentPath: backend.contentPath },
        changes,
      ),
    rebase: async () => {
      assertIdle();
      const { snapshot: now, state } = await takeTreeSnapshot(context, tree);
      const old = readManifest(context, base.hash);
      const changed = differingPaths(old, state.manifest);
      backend.syncFromTree(changed, old);
      drifted = [...new Set([...drifted, ...changed])];
      base = now;
      writeWorkspaceRecord(context, { ...record, snapshotId: now.id });
      return base;
    },
    promote: (changes) => {
      assertIdle();
      return promoteChanges(context, {
        runId,
        root: tree.root,
        kind: 'promotion',
        changes,
        drift: drifted,
        source: (path, entry) => readContent(backend.contentPath(path), entry.type),
        check: () => assertCurrentEpoch(context, record),
      });
    },
    readContent: (path, entry) => readContent(backend.contentPath(path), entry.type),
    discard: async () => {
      assertIdle();
      // Delete the data first: if the run has filled the disk, nothing can be written before.
      removeFolder(folder);
      await withTreeLock(context, tree.id, () => releaseEpoch(context, tree.id, runId));
      lock?.remove();
    },
    close: () => lock?.release(),
  };
}

/** The properties of a workspace that do not change. */
function describeWorkspace(
  context: WorkspaceContext,
  { runId, mode, isolation, fallbacks, mountAt }: WorkspaceRecord,
): Pick<Workspace, 'runId' | 'mode' | 'isolation' | 'sandboxed' | 'fallbacks' | 'root' | 'scratch' | 'home'> {
  const folder = workspaceFolder(context, runId);
  const [scratch, home] = [join(folder, 'scratch'), join(folder, 'home')];
  const accountHome = privateHome(context);
  return {
    runId,
    mode,
    isolation,
    sandboxed: isolation !== 'none',
    fallbacks,
    root: isMounted(isolation) ? mountAt : join(folder, 'copy'),
    scratch: { host: scratch, inside: isMounted(isolation) ? SCRATCH_INSIDE : scratch },
    ...(isolation !== 'none' &&
      accountHome !== undefined && {
        home: { host: home, inside: isMounted(isolation) ? accountHome : home },
      }),
  };
}

interface Spawner {
  readonly spawn: Workspace['spawn'];
  /** Throws if a command is running. */
  readonly assertIdle: () => void;
}

/** Runs one command at a time: two overlay mounts with the same upper folder are undefined behaviour. */
function createSpawner(runId: string, backend: Backend): Spawner {
  let running = 0;
  const assertIdle = (): void => {
    if (running === 0) return;
    throw new Fault('E_CONFLICT', `A command is still running in the workspace of ${runId}.`, {
      details: { run: runId, reason: 'running' },
    });
  };
  const spawn: Workspace['spawn'] = (argv, options) => {
    assertIdle();
    const started = backend.start(argv, options);
    running += 1;
    const ended = started.ended.finally(() => {
      running -= 1;
    });
    return { ...started, ended };
  };
  return { spawn, assertIdle };
}

async function findDrift(
  context: WorkspaceContext,
  tree: Tree,
  base: Snapshot,
  changes: readonly TreeChange[],
): Promise<Drift> {
  const { stateHash, manifest } = await walkTree(context, tree);
  if (stateHash === base.hash) return { conflicts: [], others: [] };
  return splitDrift(differingPaths(readManifest(context, base.hash), manifest), changes);
}

/** A path of the run conflicts even if a parent folder or an entry below it changed. */
function splitDrift(changed: readonly string[], changes: readonly TreeChange[]): Drift {
  const own = new Set(changes.map(({ path }) => path));
  const parents = new Set(changes.flatMap(({ path }) => foldersOf(path)));
  const overlaps = (path: string): boolean =>
    own.has(path) || parents.has(path) || foldersOf(path).some((folder) => own.has(folder));
  return {
    conflicts: changed.filter((path) => overlaps(path)),
    others: changed.filter((path) => !overlaps(path)),
  };
}

function foldersOf(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) folders.push(folder);
  return folders;
}

/** A workspace that another process has reopened must not be promoted: the other process may have finished or rolled back the run. */
function assertCurrentEpoch(context: WorkspaceContext, { runId, tree, epoch }: WorkspaceRecord): void {
  if (currentEpoch(context, tree.id, runId) === epoch) return;
  throw new Fault('E_CONFLICT', `Run ${runId} was reopened by another process; nothing was written.`, {
    details: { run: runId, reason: 'stale' },
  });
}
