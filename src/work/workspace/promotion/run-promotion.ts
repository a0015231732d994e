import { Fault } from '../../../base/fault.ts';
import { faultFromSystem, systemCode } from '../../../base/system-fault.ts';
import type { Change } from '../workspace.ts';
import { applyOperation } from './apply-operation.ts';
import { closeJournal, fileJournal, removeJournal, writeJournal, type Journal } from './journal.ts';
import { planOperations, type Operation } from './plan-operations.ts';
import {
  isSameSubtree,
  readSubtree,
  removeSubtree,
  stageSubtree,
  withParent,
  type ContentSource,
} from './subtree.ts';
import type { FolderHandle, Owner, TreeIo } from './tree-io.ts';
import { undoOperation } from './undo-operation.ts';

export interface PromotionRequest extends Pick<Journal, 'runId' | 'root' | 'kind' | 'drift'> {
  readonly changes: readonly Change[];
  readonly source: ContentSource;
  /** A random part of the temporary names. */
  readonly tag: string;
  readonly journals: string;
  /** Whether new entries must be given the owner of what they replace; only root can, and only root needs to. */
  readonly keepOwner: boolean;
  /** Keeps the content on both sides of every operation, before anything is touched. */
  readonly keep: (operations: readonly Operation[]) => void;
}

/**
 * Puts changes into a tree, all or none. Contract: the caller holds the tree's lock and has recovered older journals. A conflict is
 * E_CONFLICT with `details.paths`; after it, and after every other failure, the tree is as it was, or the journal is still there
 * for `recoverJournal`.
 */
export function runPromotion(io: TreeIo, request: PromotionRequest): 'exchange' | 'rename-aside' {
  const root = io.openRoot(request.root);
  const journals = io.openRoot(request.journals);
  try {
    const plan = planOperations(request.changes, (path) => isFolder(io, root, path), request.tag);
    const conflicts = plan.operations.filter((operation) => !isAsBefore(io, root, operation));
    if (conflicts.length > 0) throw conflict(conflicts.map(({ path }) => path));
    request.keep(plan.operations);
    const { runId, root: path, kind, drift, changes } = request;
    const journal: Journal = { runId, root: path, kind, drift, changes, ...plan };
    writeJournal(io, journals, journal);
    const method = decide(io, root, journals, request, journal);
    tidyUp(io, root, journals, journal);
    return method;
  } finally {
    io.close(journals);
    io.close(root);
  }
}

/** Everything up to the line that decides; a failure takes all of it back. */
function decide(
  io: TreeIo,
  root: FolderHandle,
  journals: FolderHandle,
  request: PromotionRequest,
  journal: Journal,
): 'exchange' | 'rename-aside' {
  try {
    const method = carryOut(io, root, request, journal);
    closeJournal(io, journals, journal.runId, 'committed');
    return method;
  } catch (error) {
    takeBack(io, root, journals, journal, error);
    throw error;
  }
}

function tidyUp(io: TreeIo, root: FolderHandle, journals: FolderHandle, journal: Journal): void {
  try {
    finishJournal(io, root, journals, journal);
  } catch (error) {
    // It is decided; the journal stays, and whoever takes the lock next goes on here.
    if (systemCode(error) === undefined) throw error;
  }
}

function carryOut(
  io: TreeIo,
  root: FolderHandle,
  request: PromotionRequest,
  { operations }: Journal,
): 'exchange' | 'rename-aside' {
  for (const operation of operations) {
    inParent(io, root, operation, (folder, name) => {
      const { path, temporary, after } = operation;
      if (after === undefined) return;
      const owner = request.keepOwner ? ownerFor(io, folder, name) : undefined;
      stageSubtree(io, folder, temporary, { subtree: after, path, source: request.source, owner });
    });
  }
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

/** Does what is left after the decision: the displaced entries go, then the folders that became empty. */
export function finishJournal(
  io: TreeIo,
  root: FolderHandle,
  journals: FolderHandle,
  { operations, prune, runId }: Journal,
): void {
  for (const { path, temporary } of operations) {
    withParent(io, root, path, (folder) => {
      removeSubtree(io, folder, temporary);
      removeSubtree(io, folder, `${temporary}~`);
    });
  }
  for (const path of prune) withParent(io, root, path, (folder, name) => pruneFolder(io, folder, name));
  // The journal must not be gone while what it would tidy up comes back: on one disk its renaming cannot overtake the rest.
  if (io.device(root) !== io.device(journals)) syncParents(io, root, operations);
  fileJournal(io, journals, runId);
}

/** Undoes every operation in reverse; tells the paths that were left alone because somebody changed them since. */
export function undoJournal(
  io: TreeIo,
  root: FolderHandle,
  journals: FolderHandle,
  { operations, runId }: Journal,
): readonly string[] {
  const leftAlone = operations.toReversed().flatMap((operation) => {
    const clean = withParent(io, root, operation.path, (folder, name) =>
      undoOperation(io, folder, name, operation),
    );
    return clean === false ? [operation.path] : [];
  });
  syncParents(io, root, operations);
  closeJournal(io, journals, runId, 'undone');
  removeJournal(io, journals, runId);
  return leftAlone;
}

function takeBack(
  io: TreeIo,
  root: FolderHandle,
  journals: FolderHandle,
  journal: Journal,
  cause: unknown,
): void {
  try {
    undoJournal(io, root, journals, journal);
  } catch (error) {
    throw new Fault('E_IO', `The run ${journal.runId} failed half way and could not be taken back yet.`, {
      hint: 'Free the disk or mend its mode, then run `deed work recover`.',
      details: { run: journal.runId, root: journal.root },
      cause: new AggregateError([cause, error]),
    });
  }
}

function isAsBefore(io: TreeIo, root: FolderHandle, { path, before }: Operation): boolean {
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
  // A folder above went away or became a link.
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
    // It holds what git ignores, or what somebody put there since.
  }
}

function ownerFor(io: TreeIo, folder: FolderHandle, name: string): Owner | undefined {
  const { uid, gid } = io.look(folder, name) ?? io.look(folder, '.') ?? {};
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

function isFolder(io: TreeIo, root: FolderHandle, path: string): boolean {
  return withParent(io, root, path, (folder, name) => io.look(folder, name)?.type === 'dir') === true;
}

export function conflict(paths: readonly string[]): Fault {
  const named = paths.length === 1 ? paths[0] : `${paths[0]} and ${paths.length - 1} more`;
  return new Fault('E_CONFLICT', `Somebody else changed ${named} since the run began; nothing was written.`, {
    hint: 'Look at the current state, then run the item again.',
    details: { paths: [...paths], reason: 'drift' },
  });
}
