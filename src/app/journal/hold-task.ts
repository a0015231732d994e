import { findTask } from '../../continuity/database/queries/tasks.ts';
import { appendEvent } from '../../continuity/events/event.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import type { Scope } from '../../continuity/scope.ts';
import { claimTask } from '../../continuity/tasks/claim-task.ts';
import { requireTask } from '../../continuity/tasks/task.ts';
import { setStatus } from '../../continuity/tasks/write-task.ts';
import type { HeldTask } from '../../work/journal/run-journal.ts';

/** What a run may take beyond its own time: its tests as long again, and everything around them. */
const AROUND_MS = 10 * 60_000;

/** How long a claim holds for work that may take so long. */
export function leaseFor(timeoutMs: number): number {
  return Math.min(STORE_LIMITS.maxLeaseMs, Math.max(STORE_LIMITS.defaultLeaseMs, 2 * timeoutMs + AROUND_MS));
}

/** Claims a task for a job before its turn has come. One that waits for others is claimed when they are done. */
export async function holdTask(scope: Scope, { taskId }: HeldTask, leaseMs: number): Promise<void> {
  const row = await requireTask(scope.session, taskId);
  if (row.open_dependencies === 0) await claimTask(scope, row, { leaseMs });
}

/** Gives back what the job still holds: done where it was done before, else to the queue. */
export async function releaseTask(scope: Scope, { taskId, doneBy }: HeldTask): Promise<void> {
  const row = await scope.session.first(findTask, { id: taskId });
  if (row === undefined || row.claimed_by !== scope.agent || row.status !== 'in_progress') return;
  if (doneBy !== undefined) {
    await appendEvent(scope, {
      kind: 'run_ended',
      message: `${taskId}: done before by ${doneBy}; the tree is as that run left it`,
      projectId: row.project_id,
      taskId,
      metadata: { run_id: doneBy, status: 'success', duplicate: true },
    });
  }
  await setStatus(scope, taskId, doneBy === undefined ? 'pending' : 'completed', null);
}
