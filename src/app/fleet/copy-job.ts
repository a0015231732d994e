import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { ItemRemote } from '../../work/fleet/item-refs.ts';
import { readSharedJobs, readSharedPlan } from '../../work/fleet/shared-jobs.ts';
import type { WorkQueue } from '../../work/fleet/work-queue.ts';
import { findJob, writeJob, type Job } from '../../work/plan/job.ts';
import type { WorkContext } from '../../work/work-context.ts';
import { projectOf } from '../project-of.ts';
import { openRemote } from './open-remote.ts';

type CopyContext = Pick<CommandContext, 'system' | 'home'>;

/**
 * Keeps a copy of a job that another home submitted, so that every command can use it here; undefined if no host knows it. Its remote is
 * the remote of the current folder, if the folder is a clone of the repository of the job.
 */
export async function copyJob(
  context: CopyContext,
  work: WorkContext,
  { documents }: Pick<WorkQueue, 'documents'>,
  id: string,
): Promise<Job | undefined> {
  const [shared] = await readSharedJobs(documents, id);
  const known = findJob(work.home, id);
  const items = shared && (known?.items ?? (await readSharedPlan(documents, id)));
  if (shared === undefined || items === undefined) return known;
  const { queue, round, branch, repository, createdAt, cancelled } = shared;
  const clone = known?.fleet?.url ? undefined : await findClone(context, work, repository);
  const url = clone?.url ?? known?.fleet?.url ?? '';
  return writeJob(work.home, {
    id,
    root: clone?.root ?? known?.root ?? '',
    branch,
    fleet: { queue, url, round, repository },
    items,
    jobs: 1,
    createdAt,
    runs: {},
    ...(cancelled && { cancelled }),
  });
}

/** The clone of a repository that the current folder is in. */
async function findClone(
  context: CopyContext,
  work: WorkContext,
  repository: string,
): Promise<ItemRemote | undefined> {
  try {
    const remote = await openRemote(context, work, '.');
    return (await projectOf(context, remote.root)) === repository ? remote : undefined;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
