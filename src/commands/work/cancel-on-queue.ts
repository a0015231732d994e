import { openFleet } from '../../app/fleet/open-fleet.ts';
import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';
import { cancelItems } from '../../work/fleet/decide-item.ts';
import { shareJob } from '../../work/fleet/shared-jobs.ts';
import { followJob } from '../../work/fleet/follow-job.ts';
import { readJob, writeJob, type Job } from '../../work/plan/job.ts';
import { requireClone, requireQueued } from './follow-fleet.ts';
import { loadWork } from './load-work.ts';

/** Cancels a job in a queue: its entries are removed, and results that arrive later are refused. What has landed stays. */
export async function cancelOnQueue(id: string, context: CommandContext): Promise<Job> {
  const work = (await loadWork()).openWorkContext(context);
  const job = requireQueued(readJob(work.home, id));
  const { root } = requireClone(job, work);
  const fleet = await openFleet(context, work, { queue: job.fleet.queue, root });
  try {
    const taken = await fleet.queue.cancel(fleet.queueName, id);
    await cancelItems(fleet, id, taken);
    const { job: now } = await followJob(fleet, job);
    if (now.endedAt !== undefined)
      throw new Fault('E_CONFLICT', `The job ${id} has ended.`, {
        hint: `"deed work result ${id}" shows how.`,
        details: { field: 'id', id },
      });
    await shareJob(fleet.queue.documents, { ...now, cancelled: true }, fleet);
    return writeJob(work.home, { ...now, cancelled: true });
  } finally {
    await fleet.queue.close();
  }
}
