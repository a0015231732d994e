import { resolveDependencies } from '../item/resolve-dependencies.ts';
import { RECONCILER, type WorkItem } from '../item/work-item.ts';
import { Fault } from '../../base/fault.ts';
import { omit } from '../../base/omit.ts';
import { itemState, writeJob, type Job } from '../plan/job.ts';
import { isEnded } from '../plan/item-state.ts';
import type { Fleet } from './fleet.ts';
import { readItems } from './item-refs.ts';
import { readSharedJobs, shareJob } from './shared-jobs.ts';
import type { QueuedItem } from './work-queue.ts';

const EPOCH_MS = Date.UTC(2026, 0, 1);

/**
 * Puts the items of a job that have not ended into its queue. Contract: idempotent, so a call that failed can be repeated; another round
 * replaces an earlier one that was cancelled.
 */
export async function submitJob(
  fleet: Pick<Fleet, 'work' | 'queue' | 'queueName' | 'repository' | 'host'>,
  job: Job,
): Promise<Job> {
  const { home } = fleet.work;
  const open = resolveDependencies(job.items)
    .flat()
    .filter(({ id }) => !isEnded(itemState(home, job, id)));
  if (open.length > 0) await fleet.queue.add(fleet.queueName, toQueue(job, open));
  const reopened = omit(job, 'cancelled', 'endedAt');
  await shareJob(fleet.queue.documents, reopened, fleet);
  return writeJob(home, reopened);
}

function toQueue(
  { id: jobId, branch = '', fleet, createdAt, items }: Job,
  open: readonly WorkItem[],
): QueuedItem[] {
  const seconds = Math.floor((Date.parse(createdAt) - EPOCH_MS) / 1000);
  const tests = Object.fromEntries(
    items.flatMap(({ id, test_command: command }) => (command === undefined ? [] : [[id, command] as const])),
  );
  return open.map((item, index) => ({
    jobId,
    item,
    branch,
    tests,
    // Earlier items first: one that was taken and lost comes before those that were never taken.
    order: seconds + index,
    round: fleet?.round ?? 0,
  }));
}

/**
 * A job can be queued again as long as its refs say what has landed. Refs of jobs that ended long ago are deleted; by then the copy of
 * the job in the store has expired too, which a job that no worker has seen yet still has.
 */
export async function assertResumable(
  { remote, queue }: Pick<Fleet, 'remote' | 'queue'>,
  { id }: Pick<Job, 'id'>,
): Promise<void> {
  if ((await readItems(remote, id)).size > 0 || (await readSharedJobs(queue.documents, id)).length > 0)
    return;
  throw new Fault(
    'E_CONFLICT',
    `The remote no longer has refs of the job ${id}, so it is unknown what has landed.`,
    {
      hint: 'An integrator deletes them when the job has ended long ago (retention.item_refs_days). Run the plan as a new job, without the items that have landed.',
      details: { field: 'resume', job_id: id },
    },
  );
}

/** Rejects what only one machine can do. */
export function assertForQueue(items: readonly WorkItem[]): void {
  const reconciler = items.find(({ agent_id }) => agent_id === RECONCILER);
  if (reconciler === undefined) return;
  throw new Fault(
    'E_VALIDATION',
    `"${reconciler.id}" is reserved for the reconciler, which a queue does not have.`,
    {
      hint: 'Remove the item: in a queue, every item is tested on the merged tree before it lands.',
      details: { field: 'agent_id', id: reconciler.id },
    },
  );
}
