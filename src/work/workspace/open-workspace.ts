import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { tryKernelLock, type KernelLock } from '../../system/kernel-lock.ts';
import type { Libc } from '../../system/libc/libc.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import type { Backend } from './backend.ts';
import { chooseIsolation, describeLimits } from './choose-isolation.ts';
import { createCopyBackend } from './copy/copy-backend.ts';
import { createCopyFolders } from './copy/create-copy.ts';
import { createWorkspace } from './create-workspace.ts';
import { createOverlayBackend } from './overlay/overlay-backend.ts';
import { createOverlayFolders } from './overlay/overlay-folders.ts';
import { detectCapabilities, type WorkspaceCapabilities } from './probe-workspace.ts';
import { assertFreeSpace } from './promote-changes.ts';
import { readDeclared } from './read-declared.ts';
import { readSnapshot } from './read-snapshot.ts';
import { resolveTree } from './resolve-tree.ts';
import { claimEpoch, withTreeLock } from './tree-lock.ts';
import { assertCopyable } from './unsupported-name.ts';
import {
  readWorkspaceRecord,
  workspaceFolder,
  writeWorkspaceRecord,
  type WorkspaceRecord,
} from './workspace-record.ts';
import type { OpenWorkspaceOptions, Snapshot, Workspace, WorkspaceContext } from './workspace.ts';

/** Opens a workspace for a run on the tree of a snapshot. An earlier workspace of the same run is removed. */
export async function openWorkspace(
  context: WorkspaceContext,
  options: OpenWorkspaceOptions,
): Promise<Workspace> {
  const { runId, snapshot, policy } = options;
  const tree = options.tree ?? (await resolveTree(context, snapshot.root));
  ensurePrivateFolder(context.folder);
  assertFreeSpace(context.folder);
  const capabilities = await detectCapabilities(context, { trust: true });
  const isolation = chooseIsolation(context, capabilities, options);
  const { mode, fallbacks } = chooseMode(context, options, capabilities);
  if (mode === 'copy') assertCopyable(snapshot);
  const folder = workspaceFolder(context, runId);
  const lock = lockRun(context, capabilities.libc, runId);
  try {
    removeFolder(folder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const epoch = await withTreeLock(context, tree.id, () => claimEpoch(context, tree.id, runId));
    const record: WorkspaceRecord = {
      runId,
      tree,
      snapshotId: snapshot.id,
      mode,
      isolation,
      fallbacks,
      policy,
      mountAt: options.mountAt ?? tree.checkout?.root ?? tree.root,
      ...(options.declared && { declared: readDeclared(context, snapshot, options.declared) }),
      epoch,
    };
    writeWorkspaceRecord(context, record);
    if (mode === 'overlay') createOverlayFolders(folder, tree);
    else await createCopyFolders(context, record, snapshot);
    return createWorkspace(context, record, snapshot, backendFor(context, record, capabilities), lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Reopens a workspace that another process left; a process with an older epoch can no longer promote it. */
export async function reopenWorkspace(context: WorkspaceContext, runId: string): Promise<Workspace> {
  const known = readWorkspaceRecord(context, runId);
  const capabilities = await detectCapabilities(context, { trust: true });
  const lock = lockRun(context, capabilities.libc, runId);
  try {
    // Another process may have discarded it before this one had the lock.
    readWorkspaceRecord(context, runId);
    const epoch = await withTreeLock(context, known.tree.id, () => claimEpoch(context, known.tree.id, runId));
    const record = { ...known, epoch };
    writeWorkspaceRecord(context, record);
    const snapshot = readSnapshot(context, record.snapshotId);
    return createWorkspace(context, record, snapshot, backendFor(context, record, capabilities), lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Locks a run for the lifetime of this process. */
function lockRun(context: WorkspaceContext, libc: Libc | undefined, runId: string): KernelLock | undefined {
  const path = `${workspaceFolder(context, runId)}.lock`;
  ensurePrivateFolder(join(context.folder, 'workspaces'));
  if (libc === undefined) return undefined;
  const lock = tryKernelLock(libc, path);
  if (lock !== undefined) return lock;
  throw new Fault('E_CONFLICT', `Another process is working on run ${runId}.`, {
    hint: 'Wait until it exits, or stop it; its lock is released when it exits.',
    details: { run: runId, reason: 'held' },
  });
}

function chooseMode(
  context: WorkspaceContext,
  { mode, snapshot }: OpenWorkspaceOptions,
  capabilities: WorkspaceCapabilities,
): { mode: 'overlay' | 'copy'; fallbacks: readonly string[] } {
  const problems = [...capabilities.problems.map(({ what }) => what), ...describeLimits(capabilities)];
  if (mode === 'copy') return { mode, fallbacks: ['A copy of the tree was requested.', ...problems] };
  if (capabilities.mode === 'copy') return { mode: 'copy', fallbacks: problems };
  if (context.uid !== 0 && !snapshot.ownEntries) {
    const why =
      'Some files belong to another account or group, which an overlay of this account cannot copy.';
    return { mode: 'copy', fallbacks: [why] };
  }
  return { mode: 'overlay', fallbacks: [...problems, ...ownerFallbacks(context, snapshot, capabilities)] };
}

function ownerFallbacks(
  context: WorkspaceContext,
  snapshot: Snapshot,
  { sandbox }: WorkspaceCapabilities,
): readonly string[] {
  if (
    context.uid !== 0 ||
    sandbox?.kind !== 'bubblewrap' ||
    sandbox.setpriv !== '' ||
    statSync(snapshot.root).uid === 0
  )
    return [];
  return [
    'Commands run as root without capabilities and cannot write files of other accounts; setpriv is missing.',
  ];
}

function backendFor(
  context: WorkspaceContext,
  record: WorkspaceRecord,
  capabilities: WorkspaceCapabilities,
): Backend {
  const { sandbox, libc } = capabilities;
  if (record.isolation === 'none') return createCopyBackend(context, record, undefined);
  libc?.leaveSessionKeyring();
  if (sandbox?.kind === record.isolation && existsSync(workspaceFolder(context, record.runId))) {
    if (record.mode === 'copy') return createCopyBackend(context, record, sandbox);
    if (sandbox.kind !== 'landlock' && libc !== undefined)
      return createOverlayBackend(context, record, { sandbox, libc });
  }
  throw new Fault(
    'E_CONFIG',
    `The workspace of ${record.runId} needs ${record.isolation} (${record.mode}), which is no longer available.`,
    {
      hint: 'Run `deed doctor`; it tests the sandbox and reports what is missing.',
    },
  );
}
