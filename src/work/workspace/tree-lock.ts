import { join } from 'node:path';
import { isPlainObject } from '../../base/json.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import { takeKernelLock } from '../../system/kernel-lock.ts';
import { withLock } from '../../system/lock.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { openLibcIfPresent } from './open-libc.ts';
import type { WorkspaceWorld } from './workspace.ts';

/** A promotion takes moments; a machine that is busy takes longer. */
const WAIT_MS = 60_000;

/** Runs an action while no other process promotes into the same tree. */
export async function withTreeLock<T>(
  world: WorkspaceWorld,
  treeId: string,
  action: () => T | Promise<T>,
): Promise<T> {
  ensurePrivateFolder(treeFolder(world, treeId));
  const libc = await openLibcIfPresent();
  const path = join(treeFolder(world, treeId), 'lock');
  if (libc === undefined) return withLock(`${path}.file`, action, { waitMs: WAIT_MS });
  const lock = await takeKernelLock(libc, path, WAIT_MS);
  try {
    return await action();
  } finally {
    lock.release();
  }
}

/**
 * A tree counts the openings of workspaces over it. Each run has the number of its own last opening: whoever holds an older one was
 * taken over and may promote nothing. The caller holds the tree's lock.
 */
export function claimEpoch(world: WorkspaceWorld, treeId: string, runId: string): number {
  const { epoch, runs } = readEpochs(world, treeId);
  const next = epoch + 1;
  writeEpochs(world, treeId, { epoch: next, runs: { ...runs, [runId]: next } });
  return next;
}

export function currentEpoch(world: WorkspaceWorld, treeId: string, runId: string): number | undefined {
  return readEpochs(world, treeId).runs[runId];
}

/** Forgets a run that is over; the tree's own count stays. */
export function releaseEpoch(world: WorkspaceWorld, treeId: string, runId: string): void {
  const { epoch, runs } = readEpochs(world, treeId);
  const { [runId]: _, ...others } = runs;
  writeEpochs(world, treeId, { epoch, runs: others });
}

interface Epochs {
  readonly epoch: number;
  readonly runs: Readonly<Record<string, number>>;
}

function readEpochs(world: WorkspaceWorld, treeId: string): Epochs {
  const text = readFileIfPresent(epochPath(world, treeId));
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isPlainObject(value) && typeof value.epoch === 'number'
    ? (value as unknown as Epochs)
    : { epoch: 0, runs: {} };
}

function writeEpochs(world: WorkspaceWorld, treeId: string, epochs: Epochs): void {
  // After a power cut no holder is left whom an older count could let through.
  writeFileDurably(epochPath(world, treeId), JSON.stringify(epochs), { sync: false });
}

function epochPath(world: WorkspaceWorld, treeId: string): string {
  return join(treeFolder(world, treeId), 'epoch.json');
}

export function treeFolder(world: WorkspaceWorld, treeId: string): string {
  return join(world.folder, 'trees', treeId);
}
