import type { CommandContext } from '../../contract/command.ts';
import { Fault } from '../../base/fault.ts';
import { readJob, type Job } from '../../work/plan/job.ts';
import type { ItemRecord } from '../../work/fleet/item-record.ts';
import { listIds } from '../../work/run/run-folder.ts';
import { readFleetStates } from '../../work/plan/fleet-states.ts';
import { loadWork } from './load-work.ts';

/** Reads a job; one in a queue is read from its remote first. If the remote is away, the last known state is shown. */
export async function readCurrentJob(id: string, context: CommandContext): Promise<Job> {
  const job = readJob(context.home.path, id);
  if (job.fleet === undefined || job.endedAt !== undefined) return job;
  const work = (await loadWork()).openWorkContext(context);
  const { followJob } = await import('../../work/fleet/follow-job.ts');
  try {
    const remote = { root: job.root, url: job.fleet.url, workspace: work.workspace };
    return (await followJob({ work, remote }, job)).job;
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'E_NETWORK') throw error;
    context.warn(`The state may be old: ${error.message}`);
    return job;
  }
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
  const remote = { root: job.root, url: job.fleet.url, workspace: work.workspace };
  const record: ItemRecord = await requireWaitingItem({ remote }, { jobId: job.id, itemId, runId });
  return { work, remote, record };
}
