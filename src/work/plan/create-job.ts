import type { WorkItem } from '../item/work-item.ts';
import { newId } from '../run/run-folder.ts';
import type { WorkWorld } from '../work-world.ts';
import { resolveTree } from '../workspace/resolve-tree.ts';
import { writeJob, type Job } from './job.ts';

/** Finds the working tree that a folder is in, or says why no run may work there. */
export async function locateTree(world: WorkWorld, folder: string): Promise<string> {
  return (await resolveTree(world.workspace, folder)).root;
}

/** Writes a job down before anything of it runs; whoever drives it finds everything there. */
export function createJob(world: WorkWorld, items: readonly WorkItem[], root: string, jobs: number): Job {
  const now = world.clock.now();
  return writeJob(world.home, {
    id: newId('job', now),
    root,
    items,
    jobs,
    createdAt: new Date(now).toISOString(),
    runs: {},
  });
}
