import { findTask } from '../../continuity/database/queries/tasks.ts';
import { appendEvent } from '../../continuity/events/event.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import type { Scope } from '../../continuity/scope.ts';
import { claimTask } from '../../continuity/tasks/claim-task.ts';
import { requireTask } from '../../continuity/tasks/task.ts';
import { setStatus } from '../../continuity/tasks/write-task.ts';
import type { JobTask, JobTasks } from '../../work/journal/run-journal.ts';
import { interruptedReason } from './describe-outcome.ts';

/** Time for setup and cleanup of a run, in addition to its timeout and the timeout of its tests. */
const OVERHEAD_MS = 10 * 60_000;

/** The lease of a claim for work with this timeout. */
export function leaseFor(timeoutMs: number): number {
  return Math.min(
    STORE_LIMITS.maxLeaseMs,
    Math.max(STORE_LIMITS.defaultLeaseMs, 2 * timeoutMs + OVERHEAD_MS),
  );
}

/** Claims a task for a job before its run starts. A task with open dependencies is claimed when its run starts. */
export async function claimJobTask(scope: Scope, { taskId }: JobTask, leaseMs: number): Promise<void> {
  const row = await requireTask(scope.db, taskId);
  if (row.open_dependencies === 0) await claimTask(scope, row, { leaseMs });
}

/**
 * Releases a task that the job still holds. It is completed if an earlier run did it. If the job was interrupted, it is blocked until the
 * job is resumed, so that no other agent is offered it. Otherwise it is pending.
 */
export async function releaseTask(
  scope: Scope,
  { taskId, doneBy }: JobTask,
  { jobId, isInterrupted }: Pick<JobTasks, 'jobId' | 'isInterrupted'>,
): Promise<void> {
  const row = await scope.db.first(findTask, { id: taskId });
  if (row === undefined || row.claimed_by !== scope.agent || row.status !== 'in_progress') return;
  if (doneBy !== undefined) {
    await appendEvent(scope, {
      kind: 'run_ended',
      message: `${taskId}: already done by ${doneBy}; the tree is in the state that this run left`,
      projectId: row.project_id,
      taskId,
      metadata: { run_id: doneBy, status: 'success', duplicate: true },
    });
  }
  if (doneBy === undefined && isInterrupted)
    await setStatus(scope, taskId, 'blocked', interruptedReason(jobId));
  else await setStatus(scope, taskId, doneBy === undefined ? 'pending' : 'completed', null);
}
