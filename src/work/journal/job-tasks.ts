import { errorMessage } from '../../base/error-message.ts';
import { unlessDamaged } from '../../base/damaged.ts';
import { listIds } from '../run/run-folder.ts';
import { isOwnerAlive } from '../run/owner.ts';
import { isEnded } from '../plan/item-state.ts';
import { findJob, itemStateOrDamage, type Job } from '../plan/job.ts';
import type { WorkContext } from '../work-context.ts';
import type { JobTasks } from './run-journal.ts';

/** Claims the tasks of a new job before anything of it runs. A task claimed by another agent is E_CONFLICT. */
export async function claimTasks(context: WorkContext, job: Job): Promise<void> {
  const claimed = tasksOf(context, job);
  if (claimed.tasks.length > 0) await context.journal?.claim(claimed);
}

/** Releases the tasks that a stopped job did not run. */
export async function releaseTasks(context: WorkContext, job: Job): Promise<void> {
  const claimed = tasksOf(context, job);
  if (claimed.tasks.length === 0) return;
  try {
    await context.journal?.release(claimed);
  } catch (error) {
    const why = errorMessage(error);
    context.warn?.(`Cannot release the tasks of ${job.id}: ${why} Their claims will expire.`);
  }
}

/** Releases the tasks of jobs whose process exited early. */
export async function releaseLost(context: WorkContext): Promise<void> {
  for (const id of listIds(context.home, 'job')) {
    const job = findIntact(context.home, id);
    if (job === undefined || job.endedAt !== undefined || job.owner === undefined) continue;
    if (!isOwnerAlive(job.owner)) await releaseTasks(context, job);
  }
}

/** A damaged job must not stop the others; its claims expire. */
function findIntact(home: string, id: string): Job | undefined {
  return unlessDamaged(() => findJob(home, id));
}

/** Tasks of runs that wait for approval or for their promotion are neither completed nor released. */
function tasksOf(context: WorkContext, job: Job): JobTasks {
  const tasks = job.items.flatMap((item) => {
    const state = itemStateOrDamage(context.home, job, item.id);
    if (item.task_id === undefined || state.status === 'waiting' || state.status === 'ready') return [];
    const doneBy = isEnded(state) && state.status === 'success' ? state.runId : undefined;
    return [{ taskId: item.task_id, agentId: item.agent_id, ...(doneBy !== undefined && { doneBy }) }];
  });
  const timeoutMs = job.items.reduce((sum, item) => sum + item.constraints.timeout_ms, 0);
  // A job that ended normally has no owner.
  const isInterrupted = job.cancelled === true || job.owner !== undefined;
  return { jobId: job.id, tasks, timeoutMs, isInterrupted };
}
