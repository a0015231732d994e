import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { tryKernelLock, type KernelLock } from '../../system/kernel-lock.ts';
import type { Libc } from '../../system/libc/libc.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import type { Backend } from './backend.ts';
import { createCopyBackend, createCopyFolders } from './copy/copy-backend.ts';
import { createWorkspace } from './create-workspace.ts';
import { createOverlayBackend, createOverlayFolders } from './overlay/overlay-backend.ts';
import { findMeans, type WorkspaceMeans } from './probe-workspace.ts';
import { refuseLowDisk } from './promote-changes.ts';
import { readSnapshot } from './read-snapshot.ts';
import { requirePlatform } from './require-platform.ts';
import { resolveTree } from './resolve-tree.ts';
import { claimEpoch, withTreeLock } from './tree-lock.ts';
import {
  readWorkspaceRecord,
  workspaceFolder,
  writeWorkspaceRecord,
  type WorkspaceRecord,
} from './workspace-record.ts';
import type { OpenWorkspaceOptions, Snapshot, Workspace, WorkspaceContext } from './workspace.ts';

/** Opens a workspace for a run over the tree of a snapshot. What an earlier opening of the same run left is removed. */
export async function openWorkspace(
  context: WorkspaceContext,
  options: OpenWorkspaceOptions,
): Promise<Workspace> {
  const { runId, snapshot, policy } = options;
  requirePlatform(context, options.mode);
  const tree = options.tree ?? (await resolveTree(context, snapshot.root));
  ensurePrivateFolder(context.folder);
  refuseLowDisk(context.folder);
  const means = await findMeans(context, { trust: true });
  const { mode, fallbacks } = chooseMode(context, options, means);
  const folder = workspaceFolder(context, runId);
  const lock = holdRun(context, means.libc, runId);
  try {
    removeFolder(folder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const epoch = await withTreeLock(context, tree.id, () => claimEpoch(context, tree.id, runId));
    const record: WorkspaceRecord = {
      runId,
      tree,
      snapshotId: snapshot.id,
      mode,
      sandboxed: means.sandboxed,
      fallbacks,
      policy,
      mountAt: options.mountAt ?? tree.root,
      epoch,
    };
    writeWorkspaceRecord(context, record);
    if (mode === 'overlay') createOverlayFolders(folder, tree.root);
    else await createCopyFolders(context, record, snapshot);
    return createWorkspace(context, record, snapshot, backendFor(context, record, means), lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Takes up a workspace that another process left for later; whoever still holds the older opening can promote no more. */
export async function reopenWorkspace(context: WorkspaceContext, runId: string): Promise<Workspace> {
  const known = readWorkspaceRecord(context, runId);
  const means = await findMeans(context, { trust: true });
  const lock = holdRun(context, means.libc, runId);
  try {
    const epoch = await withTreeLock(context, known.tree.id, () => claimEpoch(context, known.tree.id, runId));
    const record = { ...known, epoch };
    writeWorkspaceRecord(context, record);
    const snapshot = readSnapshot(context, record.snapshotId);
    return createWorkspace(context, record, snapshot, backendFor(context, record, means), lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** A run is held by one process at a time, for as long as that lives. */
function holdRun(context: WorkspaceContext, libc: Libc | undefined, runId: string): KernelLock | undefined {
  const path = `${workspaceFolder(context, runId)}.lock`;
  ensurePrivateFolder(join(context.folder, 'workspaces'));
  if (libc === undefined) return undefined;
  const lock = tryKernelLock(libc, path);
  if (lock !== undefined) return lock;
  throw new Fault('E_CONFLICT', `Another process is working on the run ${runId}.`, {
    hint: 'Wait until it ends, or end it; its hold ends with it.',
    details: { run: runId, reason: 'held' },
  });
}

function chooseMode(
  context: WorkspaceContext,
  { mode, snapshot }: OpenWorkspaceOptions,
  means: WorkspaceMeans,
): { mode: 'overlay' | 'copy'; fallbacks: readonly string[] } {
  const problems = means.problems.map(({ what }) => what);
  if (!means.sandboxed)
    problems.push('Ignored folders are links into the tree, which nothing keeps from being written.');
  if (mode === 'copy') return { mode, fallbacks: ['A copy of the tree was asked for.', ...problems] };
  if (means.mode === 'copy') return { mode: 'copy', fallbacks: problems };
  if (context.uid !== 0 && !snapshot.ownEntries) {
    const why =
      'Some files belong to another account or group, which an overlay of this account cannot copy.';
    return { mode: 'copy', fallbacks: [why] };
  }
  return { mode: 'overlay', fallbacks: [...problems, ...foreignTree(context, snapshot, means)] };
}

function foreignTree(
  context: WorkspaceContext,
  snapshot: Snapshot,
  { tools }: WorkspaceMeans,
): readonly string[] {
  if (context.uid !== 0 || tools?.setpriv !== '' || statSync(snapshot.root).uid === 0) return [];
  return [
    'Commands run as root without its powers and cannot write files of other accounts; setpriv is missing.',
  ];
}

function backendFor(context: WorkspaceContext, record: WorkspaceRecord, means: WorkspaceMeans): Backend {
  const { tools, libc } = means;
  if (record.mode === 'copy') return createCopyBackend(context, record, record.sandboxed ? tools : undefined);
  if (tools !== undefined && libc !== undefined && existsSync(workspaceFolder(context, record.runId)))
    return createOverlayBackend(context, record, { sandbox: tools, libc });
  throw new Fault(
    'E_CONFIG',
    `The workspace of ${record.runId} needs an overlay, which does not work here any more.`,
    {
      hint: 'Run `deed doctor`; it tries the sandbox and says what is missing.',
    },
  );
}
