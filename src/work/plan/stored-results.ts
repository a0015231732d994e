import { ownMember } from '../../base/own-member.ts';
import { damaged, isDamaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { withLock } from '../../system/lock.ts';
import { resolveDependencies } from '../item/resolve-dependencies.ts';
import type { WorkItem } from '../item/work-item.ts';
import type { Attempt } from '../run/attempt-item.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { isOwnerAlive } from '../run/owner.ts';
import { jobFolder, listIds } from '../run/run-folder.ts';
import { readRunState, writeRunState } from '../run/run-state.ts';
import { promoteRun } from '../run/promote-run.ts';
import { draftPath, readDraft, writeDraft } from '../run/stored-draft.ts';
import type { WorkContext } from '../work-context.ts';
import { reopenWorkspace } from '../workspace/open-workspace.ts';
import { findJob, itemState, promotedItems, type Job } from './job.ts';
import { waitForApproval } from './wait-for-approval.ts';

/**
 * Stores the result of a run that succeeded, at once: the other runs of its level may take long, and the process can be killed. The
 * result is promoted when the level is complete, by this process or by a process that resumes the job.
 */
export function storeResult(context: WorkContext, { draft }: Attempt): void {
  writeDraft(context.home, draft);
  writeRunState(context.home, draft.runId, 'ready');
}

/** Reopens the stored result of an item's last run; undefined if it has none. */
export async function reopenResult(context: WorkContext, runId: string): Promise<Attempt | undefined> {
  const state = readRunState(context.home, runId);
  if (state?.status !== 'ready' || isOwnerAlive(state.owner)) return undefined;
  const draft = readDraft(context.home, runId);
  if (draft === undefined) return undefined;
  try {
    const workspace = await reopenWorkspace(context.workspace, runId);
    storeResult(context, { draft });
    return { draft, workspace };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'E_NOT_FOUND') throw error;
    const path = draftPath(context.home, runId);
    const hint = 'Run "deed work recover"; then the item can run again.';
    throw damaged(path, 'the workspace of the run is missing', hint, error);
  }
}

/** The paths that ended runs of these items have changed. */
export function promotedPaths(home: string, job: Job, level: readonly WorkItem[]): Set<string> {
  const receipts = level.flatMap(({ id }) => {
    const state = itemState(home, job, id);
    return state.status === 'success' && state.runId ? (readReceipt(home, state.runId) ?? []) : [];
  });
  return new Set(receipts.flatMap(({ artifacts }) => artifacts.flatMap(({ path }) => path ?? [])));
}

/** Lists stored results whose process has exited. */
export function listStored(home: string): readonly string[] {
  return listIds(home, 'run').filter((runId) => {
    try {
      const state = readRunState(home, runId);
      return state?.status === 'ready' && !isOwnerAlive(state.owner);
    } catch (error) {
      if (isDamaged(error)) return false;
      throw error;
    }
  });
}

/**
 * Promotes the stored results of jobs whose process has exited, without running anything again. Results of a level that still has items
 * to run stay stored, because a level is promoted in the order of its items; resuming the job runs the rest. Returns the promoted runs.
 */
export async function promoteStored(context: WorkContext): Promise<readonly string[]> {
  const jobs = new Set(listStored(context.home).flatMap((id) => readDraft(context.home, id)?.jobId ?? []));
  const promoted: string[] = [];
  for (const id of jobs) {
    if (isRunning(context.home, id)) continue;
    const lock = `${jobFolder(context.home, id)}.lock`;
    try {
      // Another process may promote the same results; then there is nothing left to do.
      promoted.push(...(await withLock(lock, () => promoteJob(context, findJob(context.home, id)))));
    } catch (error) {
      // A job that was resumed meanwhile holds the lock, and promotes them itself.
      if (!isRunning(context.home, id)) throw error;
    }
  }
  return promoted;
}

function isRunning(home: string, jobId: string): boolean {
  const owner = findJob(home, jobId)?.owner;
  return owner !== undefined && isOwnerAlive(owner);
}

async function promoteJob(context: WorkContext, job: Job | undefined): Promise<readonly string[]> {
  if (job === undefined) return [];
  const promoted: string[] = [];
  for (const level of resolveDependencies(job.items)) {
    if (!level.some(({ id }) => itemState(context.home, job, id).status === 'ready')) continue;
    if (level.some(({ id }) => isUnfinished(context, job, id))) break;
    for (const { id } of level) {
      const attempt = await reopenResult(context, ownMember(job.runs, id) ?? '');
      if (attempt?.workspace === undefined) continue;
      if (attempt.draft.item.approval === true) {
        await waitForApproval(attempt, context);
        continue;
      }
      const earlier = promotedItems(context.home, job);
      await promoteRun(attempt.draft, attempt.workspace, context, { earlier });
      promoted.push(attempt.draft.runId);
    }
  }
  return promoted;
}

/** Whether an item still has to run: it never did, or was interrupted. */
function isUnfinished({ home }: WorkContext, job: Job, itemId: string): boolean {
  const state = itemState(home, job, itemId);
  if (state.status === 'pending' || state.status === 'running' || state.status === 'lost') return true;
  return 'code' in state && state.code === 'E_INTERRUPTED';
}
