import { projectOf } from '../../app/project-of.ts';
import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';
import { readFleetStates } from '../../work/plan/fleet-states.ts';
import type { Job } from '../../work/plan/job.ts';
import type { WorkQueue } from '../../work/fleet/work-queue.ts';

/** Returns as `held` why a job in a queue cannot continue at present; `{}` if it can, or the queue cannot be read. */
export async function readHold(job: Job, context: CommandContext): Promise<{ readonly held?: string }> {
  if (job.fleet === undefined || job.endedAt !== undefined) return {};
  const { openQueue } = await import('../../app/fleet/open-fleet.ts');
  const { databaseQueue } = await import('../../work/fleet/queue-names.ts');
  try {
    const name = databaseQueue(job.fleet.queue, (await projectOf(context, job.root)) ?? job.root);
    const queue = await openQueue(context);
    const held = await findHold(job, { home: context.home.path, name, queue }).finally(() => queue.close());
    return held === undefined ? {} : { held };
  } catch (error) {
    if (error instanceof Fault) return {};
    throw error;
  }
}

/** A worker reports what it runs as `job/item`. */
function ofJob(text: string, jobId: string): string[] {
  return text.startsWith(`${jobId}/`) ? [text.slice(jobId.length + 1)] : [];
}

/** Where a job runs: the queue, and its name in the database. */
interface Place {
  readonly home: string;
  readonly name: string;
  readonly queue: Pick<WorkQueue, 'workers'>;
}

/** Says why a job in a queue cannot continue at present. */
export async function findHold(job: Job, { home, name, queue }: Place): Promise<string | undefined> {
  if (job.fleet === undefined) return undefined;
  const { explainHold } = await import('../../work/fleet/explain-hold.ts');
  const workers = await queue.workers();
  const taken = new Set([
    ...Object.keys(readFleetStates(home, job.id)),
    ...workers.flatMap(({ running }) => running.flatMap((text) => ofJob(text, job.id))),
  ]);
  const pending = job.items.filter(({ id }) => !taken.has(id));
  return explainHold({ queue: job.fleet.queue, queueName: name, pending }, workers);
}
