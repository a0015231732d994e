import { hasQueue, withQueue } from '../../app/fleet/with-queue.ts';
import type { CommandContext } from '../../contract/command.ts';
import { Fault } from '../../base/fault.ts';
import { findJob, readJob, type Job } from '../../work/plan/job.ts';
import type { ItemRecord } from '../../work/fleet/item-record.ts';
import type { Copies } from '../../work/fleet/follow-job.ts';
import type { ItemRemote } from '../../work/fleet/item-refs.ts';
import type { WorkQueue } from '../../work/fleet/work-queue.ts';
import { isId, listIds } from '../../work/run/run-folder.ts';
import { readFleetStates } from '../../work/plan/fleet-states.ts';
import type { WorkContext } from '../../work/work-context.ts';
import { loadWork } from './load-work.ts';

/**
 * Reads a job; one in a queue is read from its remote first, one of another home from the shared store. If these are unreachable, the last
 * known state is shown.
 */
export async function readCurrentJob(id: string, context: CommandContext): Promise<Job> {
  const known = isId('job', id) ? findJob(context.home.path, id) : undefined;
  const isElsewhere = known === undefined && isId('job', id) && hasQueue(context);
  const job = isElsewhere ? await readJobElsewhere(id, context) : (known ?? readJob(context.home.path, id));
  if (isElsewhere || job.fleet === undefined || job.endedAt !== undefined) return job;
  try {
    return await readJobElsewhere(id, context, job);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'E_NETWORK') throw error;
    context.warn(`The state may be old: ${error.message}`);
    return job;
  }
}

async function readJobElsewhere(id: string, context: CommandContext, known?: Job): Promise<Job> {
  const work = (await loadWork()).openWorkContext(context);
  const isOwn = known?.fleet !== undefined && known.fleet.repository === undefined;
  const { followJob, storeRecords } = await import('../../work/fleet/follow-job.ts');
  const { adoptJob, readSharedRecords } = await import('../../work/fleet/shared-jobs.ts');
  const { job, copies } = await readKnown(isOwn ? known : undefined, context, async (queue) => {
    const { copyJob } = await import('../../app/fleet/copy-job.ts');
    const { documents } = queue;
    return {
      job: isOwn
        ? await adoptJob(documents, work.home, known)
        : ((await copyJob(context, work, queue, id)) ?? readJob(work.home, id)),
      copies: await readSharedRecords(documents, id),
    };
  });
  if (job.fleet === undefined) return job;
  return job.fleet.url === ''
    ? storeRecords(work, job, copies).job
    : (await followJob({ work, remote: remoteOf(job, work) }, job, copies)).job;
}

/** The state of a job in the database. If the database cannot be read, the refs of a job of this home still show which items have ended. */
async function readKnown(
  own: Job | undefined,
  context: CommandContext,
  read: (queue: WorkQueue) => Promise<KnownJob>,
): Promise<KnownJob> {
  try {
    return await withQueue(context, read);
  } catch (error) {
    if (own === undefined || !(error instanceof Fault)) throw error;
    return { job: own, copies: new Map() };
  }
}

interface KnownJob {
  readonly job: Job;
  readonly copies: Copies;
}

/** The clone of a job in a queue, and its remote. */
export function remoteOf({ root, fleet }: Job, { workspace }: Pick<WorkContext, 'workspace'>): ItemRemote {
  return { root, url: fleet?.url ?? '', workspace };
}

/** Where a run on another host belongs. */
export interface FleetRun {
  readonly job: Job & { readonly fleet: NonNullable<Job['fleet']> };
  readonly itemId: string;
}

/** Finds the job of a run on another host, among the jobs of this home; undefined for other runs. */
export function findFleetRun(home: string, runId: string): FleetRun | undefined {
  for (const jobId of listIds(home, 'job')) {
    const found = Object.entries(readFleetStates(home, jobId)).find(([, state]) => state.runId === runId);
    if (found === undefined) continue;
    const job = readJob(home, jobId);
    if (job.fleet !== undefined) return { job: { ...job, fleet: job.fleet }, itemId: found[0] };
  }
  return undefined;
}

/** Reads the record of a run on another host that waits for a decision. */
export async function readWaitingItem({ job, itemId }: FleetRun, runId: string, context: CommandContext) {
  const work = (await loadWork()).openWorkContext(context);
  const { requireWaitingItem } = await import('../../work/fleet/decide-item.ts');
  const remote = requireClone(job, work);
  const record: ItemRecord = await requireWaitingItem({ remote }, { jobId: job.id, itemId, runId });
  return { work, remote, record };
}

/** A job that its caller knows to be in a queue. */
export function requireQueued(job: Job): FleetRun['job'] {
  if (job.fleet === undefined) throw new Error(`${job.id} is not in a queue`);
  return { ...job, fleet: job.fleet };
}

/** Returns the clone of a job. A job that another home submitted may have no clone on this host. */
export function requireClone(job: FleetRun['job'], work: Pick<WorkContext, 'workspace'>): ItemRemote {
  if (job.fleet.url !== '') return remoteOf(job, work);
  throw new Fault('E_CONFLICT', `Job ${job.id} belongs to ${job.fleet.repository ?? 'another repository'}.`, {
    hint: 'Run this in a clone of that repository.',
    details: { job_id: job.id, ...(job.fleet.repository && { repository: job.fleet.repository }) },
  });
}
