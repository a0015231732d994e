import { ownMember } from '../../base/own-member.ts';
import { join } from 'node:path';
import * as v from 'valibot';
import { isDamaged } from '../../base/damaged.ts';
import { int, record } from '../../base/schema.ts';
import { takeKernelLock } from '../../system/kernel-lock.ts';
import { withLock } from '../../system/lock.ts';
import { readStored, writeStored, type DocumentShape } from '../../system/stored-document.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { openLibcIfPresent } from './open-libc.ts';
import type { WorkspaceContext } from './workspace.ts';

/** A promotion is short, but a busy machine can be slow. */
const WAIT_MS = 60_000;

/** Runs an action while no other process promotes changes to the same tree. */
export async function withTreeLock<T>(
  context: WorkspaceContext,
  treeId: string,
  action: () => T | Promise<T>,
): Promise<T> {
  ensurePrivateFolder(treeFolder(context, treeId));
  const libc = await openLibcIfPresent();
  const path = join(treeFolder(context, treeId), 'lock');
  if (libc === undefined) return withLock(`${path}.file`, action, { waitMs: WAIT_MS });
  const lock = await takeKernelLock(libc, path, WAIT_MS);
  try {
    return await action();
  } finally {
    lock.release();
  }
}

/**
 * Every opening of a workspace on a tree gets the next epoch. Each run records the epoch of its last opening: a process with an older
 * epoch must not promote it. The caller holds the tree's lock.
 */
export function claimEpoch(context: WorkspaceContext, treeId: string, runId: string): number {
  const { epoch, runs } = readEpochs(context, treeId);
  const next = epoch + 1;
  writeEpochs(context, treeId, { epoch: next, runs: { ...runs, [runId]: next } });
  return next;
}

export function currentEpoch(context: WorkspaceContext, treeId: string, runId: string): number | undefined {
  return ownMember(readEpochs(context, treeId).runs, runId);
}

/** Forgets an ended run; the epoch of the tree stays. */
export function releaseEpoch(context: WorkspaceContext, treeId: string, runId: string): void {
  const { epoch, runs } = readEpochs(context, treeId);
  const { [runId]: _, ...others } = runs;
  writeEpochs(context, treeId, { epoch, runs: others });
}

interface Epochs {
  readonly epoch: number;
  readonly runs: Readonly<Record<string, number>>;
}

const NO_EPOCHS: Epochs = { epoch: 0, runs: {} };

const EPOCHS: DocumentShape<Epochs> = {
  hint: (path) => `Remove ${path}; it is written again.`,
  schema: v.object({ epoch: int(), runs: record(int()) }),
};

function readEpochs(context: WorkspaceContext, treeId: string): Epochs {
  try {
    return readStored(epochPath(context, treeId), EPOCHS) ?? NO_EPOCHS;
  } catch (error) {
    // Without epochs, open workspaces cannot be promoted until they are reopened; nothing else depends on them.
    if (isDamaged(error)) return NO_EPOCHS;
    throw error;
  }
}

function writeEpochs(context: WorkspaceContext, treeId: string, epochs: Epochs): void {
  // Not synced: after a power failure no process with an older epoch is alive.
  writeStored(epochPath(context, treeId), epochs, { sync: false });
}

function epochPath(context: WorkspaceContext, treeId: string): string {
  return join(treeFolder(context, treeId), 'epoch.json');
}

export function treeFolder(context: WorkspaceContext, treeId: string): string {
  return join(context.folder, 'trees', treeId);
}
