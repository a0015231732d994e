import { Fault } from '../../../base/fault.ts';
import { faultFromSystem, systemCode } from '../../../base/system-fault.ts';
import type { TreeChange } from '../workspace.ts';
import { applyOperation } from './apply-operation.ts';
import {
  closePromotionLog,
  archivePromotionLog,
  removePromotionLog,
  writePromotionLog,
  type PromotionLog,
} from './promotion-log.ts';
import { planOperations, type Operation } from './plan-operations.ts';
import {
  isSameSubtree,
  readSubtree,
  removeSubtree,
  stageSubtree,
  withParent,
  type ContentSource,
} from './subtree.ts';
import type { FolderHandle, EntryOwner, TreeIo } from './tree-io.ts';
import { undoOperation } from './undo-operation.ts';

export interface PromotionRequest extends Pick<PromotionLog, 'runId' | 'root' | 'kind' | 'drift'> {
  readonly changes: readonly TreeChange[];
  readonly source: ContentSource;
  /** A random part of the temporary names. */
  readonly tag: string;
  readonly logs: string;
  /** Whether new entries get the owner of the entries they replace; only root can and needs to do this. */
  readonly keepOwner: boolean;
  /** Stores the contents on both sides of every operation before anything is changed. */
  readonly store: (operations: readonly Operation[]) => void;
}

/**
 * Applies changes to a tree, all or none. Contract: the caller holds the tree's lock and has recovered earlier promotions. A conflict is
 * E_CONFLICT with `details.paths`. After any failure, either the tree is unchanged or the log still exists for
 * `recoverPromotion`.
 */
export function runPromotion(io: TreeIo, request: PromotionRequest): 'exchange' | 'rename-aside' {
  const root = io.openRoot(request.root);
  const logs = io.openRoot(request.logs);
  try {
    const plan = planOperations(request.changes, (path) => isFolder(io, root, path), request.tag);
    const conflicts = plan.operations.filter((operation) => !matchesBefore(io, root, operation));
    if (conflicts.length > 0) throw conflict(conflicts.map(({ path }) => path));
    request.store(plan.operations);
    const { runId, root: path, kind, drift, changes } = request;
    const log: PromotionLog = { runId, root: path, kind, drift, changes, ...plan };
    writePromotionLog(io, logs, log);
    const method = applyAndCommit(io, root, logs, request, log);
    cleanUp(io, root, logs, log);
    return method;
  } finally {
    io.close(logs);
    io.close(root);
  }
}

/** Applies all operations and commits the log; undoes everything on a failure. */
function applyAndCommit(
  io: TreeIo,
  root: FolderHandle,
  logs: FolderHandle,
  request: PromotionRequest,
  log: PromotionLog,
): 'exchange' | 'rename-aside' {
  try {
    const method = applyAll(io, root, request, log);
    closePromotionLog(io, logs, log.runId, 'committed');
    return method;
  } catch (error) {
    undoAfterFailure(io, root, logs, log, error);
    throw error;
  }
}

function cleanUp(io: TreeIo, root: FolderHandle, logs: FolderHandle, log: PromotionLog): void {
  try {
    finishPromotion(io, root, logs, log);
  } catch (error) {
    // The promotion is committed; the log stays, and the next process that locks the tree finishes the cleanup.
    if (systemCode(error) === undefined) throw error;
  }
}

function applyAll(
  io: TreeIo,
  root: FolderHandle,
  request: PromotionRequest,
  { operations }: PromotionLog,
): 'exchange' | 'rename-aside' {
  stageAll(io, root, request, operations);
  let method: 'exchange' | 'rename-aside' = 'exchange';
  for (const operation of operations) {
    inParent(io, root, operation, (folder, name) => {
      const applied = applyOperation(io, folder, name, operation);
      if (applied === 'conflict') throw conflict([operation.path]);
      if (applied === 'rename-aside') method = applied;
    });
  }
  syncParents(io, root, operations);
  return method;
}

/** Creates the new entries under their temporary names, with their content on disk. */
function stageAll(
  io: TreeIo,
  root: FolderHandle,
  { keepOwner, source }: PromotionRequest,
  operations: readonly Operation[],
): void {
  try {
    for (const operation of operations) {
      inParent(io, root, operation, (folder, name) => {
        const { path, temporary, after } = operation;
        if (after === undefined) return;
        const owner = keepOwner ? ownerFor(io, folder, name) : undefined;
        stageSubtree(io, folder, temporary, { subtree: after, path, source, owner });
      });
    }
  } finally {
    io.syncFiles();
  }
}

/** Cleans up after the commit: removes the displaced entries, then the folders that became empty. */
export function finishPromotion(
  io: TreeIo,
  root: FolderHandle,
  logs: FolderHandle,
  { operations, prune, runId }: PromotionLog,
): void {
  for (const { path, temporary } of operations) {
    withParent(io, root, path, (folder) => {
      removeSubtree(io, folder, temporary);
      removeSubtree(io, folder, `${temporary}~`);
    });
  }
  for (const path of prune) withParent(io, root, path, (folder, name) => pruneFolder(io, folder, name));
  // On one disk, renaming the log cannot be persisted before the removals; on two disks, sync the removals first.
  if (io.device(root) !== io.device(logs)) syncParents(io, root, operations);
  archivePromotionLog(io, logs, runId);
}

/** Undoes all operations in reverse; returns the paths that were not restored because they were changed since. */
export function undoPromotion(
  io: TreeIo,
  root: FolderHandle,
  logs: FolderHandle,
  { operations, runId }: PromotionLog,
): readonly string[] {
  const leftAlone = operations.toReversed().flatMap((operation) => {
    const clean = withParent(io, root, operation.path, (folder, name) =>
      undoOperation(io, folder, name, operation),
    );
    return clean === false ? [operation.path] : [];
  });
  syncParents(io, root, operations);
  closePromotionLog(io, logs, runId, 'undone');
  removePromotionLog(io, logs, runId);
  return leftAlone;
}

function undoAfterFailure(
  io: TreeIo,
  root: FolderHandle,
  logs: FolderHandle,
  log: PromotionLog,
  cause: unknown,
): void {
  try {
    undoPromotion(io, root, logs, log);
  } catch (error) {
    throw new Fault('E_IO', `Run ${log.runId} failed during its promotion and could not be rolled back.`, {
      hint: 'Free disk space or make the disk writable, then run `deed work recover`.',
      details: { run: log.runId, root: log.root },
      cause: new AggregateError([cause, error]),
    });
  }
}

function matchesBefore(io: TreeIo, root: FolderHandle, { path, before }: Operation): boolean {
  const matches = withParent(io, root, path, (folder, name) =>
    isSameSubtree(readSubtree(io, folder, name), before),
  );
  return matches === true;
}

function inParent(
  io: TreeIo,
  root: FolderHandle,
  { path }: Operation,
  action: (folder: FolderHandle, name: string) => void,
): void {
  let reached = false;
  try {
    withParent(io, root, path, (folder, name) => {
      reached = true;
      action(folder, name);
    });
  } catch (error) {
    throw faultFromSystem(error, 'change', path);
  }
  // A parent folder was deleted, or a symlink is in its place.
  if (!reached) throw conflict([path]);
}

function syncParents(io: TreeIo, root: FolderHandle, operations: readonly Operation[]): void {
  const seen = new Set<string>();
  for (const { path } of operations) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    if (seen.has(folder)) continue;
    seen.add(folder);
    withParent(io, root, path, (handle) => io.sync(handle));
  }
}

function pruneFolder(io: TreeIo, folder: FolderHandle, name: string): void {
  try {
    io.removeFolder(folder, name);
  } catch {
    // The folder contains ignored or new entries, so it stays.
  }
}

function ownerFor(io: TreeIo, folder: FolderHandle, name: string): EntryOwner | undefined {
  const { uid, gid } = io.stat(folder, name) ?? io.stat(folder, '.') ?? {};
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

function isFolder(io: TreeIo, root: FolderHandle, path: string): boolean {
  return withParent(io, root, path, (folder, name) => io.stat(folder, name)?.type === 'dir') === true;
}

export function conflict(paths: readonly string[]): Fault {
  const named = paths.length === 1 ? paths[0] : `${paths[0]} and ${paths.length - 1} more`;
  return new Fault('E_CONFLICT', `${named} changed since the run started; nothing was written.`, {
    hint: 'Check the current state, then run the item again.',
    details: { paths: [...paths], reason: 'drift' },
  });
}
