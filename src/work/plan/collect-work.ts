import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDamaged, unlessDamaged } from '../../base/damaged.ts';
import { removeStaleTemporaryFiles } from '../../system/remove-stale-temporary-files.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { listIds, runFolder } from '../run/run-folder.ts';
import { readChangesRecord, type ChangesRecord } from '../run/run-records.ts';
import { readRunState } from '../run/run-state.ts';
import { readDraft } from '../run/stored-draft.ts';
import type { WorkContext } from '../work-context.ts';
import { deleteUnused, listUnused, pathsOfUnused, type DeletedData } from '../workspace/delete-unused.ts';
import { manifestPath, readManifest } from '../workspace/manifest-store.ts';
import { parseHead } from '../workspace/manifest.ts';
import { readSnapshot, snapshotFolder } from '../workspace/read-snapshot.ts';
import type { WorkspaceContext } from '../workspace/workspace.ts';
import { hasWorkspace, readWorkspaceRecord } from '../workspace/workspace-record.ts';
import { removeKept } from '../workspace/landing/kept-checkout.ts';
import { listCheckouts, removeCheckout } from '../workspace/landing/open-checkout.ts';
import { isOwnerAlive } from '../run/owner.ts';
import { forgetUnstarted } from './forget-unstarted.ts';
import { findJob } from './job.ts';
import { recoverRuns } from './recover-runs.ts';

/** Counts of deleted and kept data. */
export interface CollectedWork extends DeletedData {
  readonly kept_runs: number;
  /** Runs with damaged files. What they need is unknown, so contents and snapshots are not deleted while there are any. */
  readonly damaged_runs: number;
}

/** What is kept for replays and rollbacks. */
export interface ReplayRetention {
  readonly keepDays: number;
  /** The maximum size of the states of trees; of the runs that exceed it, the oldest cannot be replayed. */
  readonly stateBytes?: number | undefined;
}

const DAY_MS = 86_400_000;

/**
 * Deletes data that no run needs: contents that only old runs would replay or roll back, and workspaces of ended runs. Receipts and
 * their files are never deleted, nor is anything of a run that is open or waits for approval.
 */
export async function collectWork(
  context: WorkContext,
  { keepDays, stateBytes = Infinity }: ReplayRetention,
): Promise<CollectedWork> {
  await recoverRuns(context);
  const { needs, damaged } = findNeeds(context, { keepDays, stateBytes });
  const freed = await deleteUnused(context.workspace, { ...needs, everything: damaged > 0 });
  collectCheckouts(context, needs.open);
  removeKept(context.workspace);
  forgetUnstarted(context.home, context.clock.now());
  for (const folder of ['outbox', 'jobs', ...listIds(context.home, 'job').map((id) => join('jobs', id))])
    removeStaleTemporaryFiles(join(context.home, folder));
  return { ...freed, kept_runs: needs.runs.size, damaged_runs: damaged };
}

/** Lists what `collectWork` would delete. Contract: reads only, so that runs of killed processes count as open ones. */
export function planCollection(context: WorkContext, retention: ReplayRetention): CollectionPlan {
  const { needs, damaged } = findNeeds(context, retention);
  const unused = listUnused(context.workspace, { ...needs, everything: damaged > 0 });
  const { packs, workspaces, snapshots, manifests, replays } = unused;
  // A workspace has a folder and a lock.
  const folders = workspaces.filter((name) => !name.endsWith('.lock'));
  return {
    items: packs.length + folders.length + snapshots.length + manifests.length + replays.length,
    paths: pathsOfUnused(context.workspace, unused),
  };
}

export interface CollectionPlan {
  readonly items: number;
  readonly paths: readonly string[];
}

/** What the runs of a home need, and how many of them are damaged. */
function findNeeds(
  context: WorkContext,
  { keepDays, stateBytes = Infinity }: ReplayRetention,
): { readonly needs: Needs; readonly damaged: number } {
  const oldest = context.clock.now() - keepDays * DAY_MS;
  const needs: Needs = {
    snapshots: new Set(),
    objects: new Set(),
    runs: new Set(),
    open: new Set(),
    hasRoom: createBudget(context.workspace, stateBytes),
  };
  const damaged = listIds(context.home, 'run').filter((runId) => !addNeeds(context, runId, oldest, needs));
  return { needs, damaged: damaged.length };
}

/** Deletes the private checkouts of jobs without an open run; a running job has its own lock. */
function collectCheckouts(context: WorkContext, open: ReadonlySet<string>): void {
  const jobs = listCheckouts(context.workspace);
  if (jobs.length === 0) return;
  const needed = new Set([...open].flatMap((runId) => jobOf(context.home, runId) ?? []));
  for (const jobId of jobs) {
    const owner = findJob(context.home, jobId)?.owner;
    if (!needed.has(jobId) && (owner === undefined || !isOwnerAlive(owner)))
      removeCheckout(context.workspace, jobId);
  }
}

/** The job of an open run; a damaged run needs no checkout, because it cannot be promoted. */
function jobOf(home: string, runId: string): string | undefined {
  return unlessDamaged(() => readDraft(home, runId))?.jobId;
}

interface Needs {
  readonly snapshots: Set<string>;
  readonly objects: Set<string>;
  readonly runs: Set<string>;
  readonly open: Set<string>;
  /** Whether the state of a snapshot fits into the maximum size. */
  readonly hasRoom: (snapshotId: string) => boolean;
}

/** Adds what a run needs; false if it is damaged, so that this is unknown. */
function addNeeds(context: WorkContext, runId: string, oldest: number, needs: Needs): boolean {
  try {
    const open = readRunState(context.home, runId) !== undefined;
    const receipt = open ? undefined : readReceipt(context.home, runId);
    if (!open && (receipt === undefined || Date.parse(receipt.timestamp_iso) < oldest)) return true;
    needs.runs.add(runId);
    if (open) needs.open.add(runId);
    const record: ChangesRecord | undefined =
      receipt === undefined ? readDraft(context.home, runId) : readChangesRecord(context.home, receipt);
    const snapshots = [record?.replay?.snapshotId, open ? baseOf(context, runId) : undefined];
    for (const id of snapshots)
      if (id !== undefined && (open || needs.hasRoom(id))) keepSnapshot(context, id, needs);
    for (const { before, after } of record?.changes ?? [])
      for (const entry of [before, after]) if (entry?.hash) needs.objects.add(entry.hash);
    return true;
  } catch (error) {
    if (!isDamaged(error)) throw error;
    // The data of an old run would be deleted anyway.
    if (statSync(runFolder(context.home, runId)).mtimeMs < oldest) return true;
    needs.runs.add(runId);
    needs.open.add(runId);
    context.warn?.(`${error.message} ${error.hint ?? ''}`.trim());
    return false;
  }
}

/** The snapshot that an open workspace is based on. */
function baseOf({ workspace }: WorkContext, runId: string): string | undefined {
  return hasWorkspace(workspace, runId) ? readWorkspaceRecord(workspace, runId).snapshotId : undefined;
}

/** Returns a function that checks whether the state of a snapshot fits; called for the newest runs first. Equal states count once. */
function createBudget(context: WorkspaceContext, maxBytes: number): (snapshotId: string) => boolean {
  const counted = new Set<string>();
  let bytes = 0;
  return (id) => {
    if (maxBytes === Infinity || !existsSync(join(snapshotFolder(context), `${id}.json`))) return true;
    const { hash } = readSnapshot(context, id);
    if (counted.has(hash)) return true;
    const size = statSync(manifestPath(context, hash), { throwIfNoEntry: false })?.size ?? 0;
    bytes += size;
    if (bytes > maxBytes) return false;
    counted.add(hash);
    return true;
  };
}

/** Keeps a snapshot together with the contents of its files. */
function keepSnapshot({ workspace }: WorkContext, id: string, { snapshots, objects }: Needs): void {
  if (snapshots.has(id) || !existsSync(join(snapshotFolder(workspace), `${id}.json`))) return;
  snapshots.add(id);
  for (const head of readManifest(workspace, readSnapshot(workspace, id).hash).heads) {
    const { hash } = parseHead(head);
    if (hash) objects.add(hash);
  }
}
