import { existsSync, realpathSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import type { WorkItem } from '../item/work-item.ts';
import { newWorkId } from '../run/run-folder.ts';
import type { WorkContext } from '../work-context.ts';
import { isWithin, resolveTree } from '../workspace/resolve-tree.ts';
import type { Tree } from '../workspace/tree.ts';
import { writeJob, type Job } from './job.ts';

/** Returns the working tree of a folder; rejects trees where no run may work. */
export async function locateTree(context: WorkContext, folder: string): Promise<Tree> {
  const tree = await resolveTree(context.workspace, folder);
  const { root } = tree;
  if (!isWithin(realpathOf(context.home), root)) return tree;
  throw new Fault('E_PROTECTED', `${root} is inside ${context.home}, where no run may work.`, {
    hint: 'Use a tree in a different folder.',
    details: { path: root },
  });
}

/** The home may not exist yet. */
function realpathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** Saves a job before anything of it runs, so that any process can run or resume it. */
export function createJob(
  context: WorkContext,
  items: readonly WorkItem[],
  { root, jobs, branch }: Pick<Job, 'root' | 'jobs' | 'branch'>,
): Job {
  const now = context.clock.now();
  return writeJob(context.home, {
    id: newWorkId(context.home, 'job', now),
    root,
    ...(branch !== undefined && { branch }),
    items,
    jobs,
    createdAt: new Date(now).toISOString(),
    runs: {},
  });
}
