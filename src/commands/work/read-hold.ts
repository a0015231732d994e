import { projectOf } from '../../app/project-of.ts';
import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { Job } from '../../work/plan/job.ts';

/** Returns as `held` why no worker takes the items of a job, if all workers of its queue are paused; `{}` if one is not, or the queue cannot be read. */
export async function readHold(job: Job, context: CommandContext): Promise<{ readonly held?: string }> {
  if (job.fleet === undefined || job.endedAt !== undefined) return {};
  const { openQueue } = await import('../../app/fleet/open-fleet.ts');
  const { databaseQueue } = await import('../../work/fleet/queue-names.ts');
  try {
    const name = databaseQueue(job.fleet.queue, (await projectOf(context, job.root)) ?? job.root);
    const queue = await openQueue(context);
    const workers = await queue.workers().finally(() => queue.close());
    const own = workers.filter(({ role, queueName }) => role === 'worker' && queueName === name);
    const held = own[0]?.paused;
    return held !== undefined && own.every(({ paused }) => paused !== undefined) ? { held } : {};
  } catch (error) {
    if (error instanceof Fault) return {};
    throw error;
  }
}
