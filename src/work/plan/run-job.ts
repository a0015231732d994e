import { withLock } from '../../system/lock.ts';
import { requireAgent } from '../executors/agent-config.ts';
import { dependenciesOf, resolveDependencies } from '../item/resolve-dependencies.ts';
import { RECONCILER, type WorkItem } from '../item/work-item.ts';
import { releaseTasks } from '../journal/job-tasks.ts';
import { deliverEndings } from '../journal/outbox.ts';
import { REJECTED } from '../run/decide-run.ts';
import { jobFolder } from '../run/run-folder.ts';
import { currentOwner } from '../run/owner.ts';
import type { WorkEvent } from '../run/work-event.ts';
import type { WorkContext } from '../work-context.ts';
import { resolveTree } from '../workspace/resolve-tree.ts';
import type { Tree } from '../workspace/tree.ts';
import { isEnded, itemState, writeJob, type Job } from './job.ts';
import { reconcile } from './reconcile.ts';
import { recoverRuns } from './recover-runs.ts';
import { runLevel, type LevelHost } from './run-level.ts';

/**
 * Drives a job to its end, or to where it waits for a person: level by level, and last the check of the whole. What has
 * succeeded is not run again, so driving a job a second time goes on where the first stopped. One driver at a time. The tree is
 * resolved unless the caller has done so.
 */
export async function runJob(job: Job, context: WorkContext, tree?: Tree): Promise<Job> {
  return withLock(`${jobFolder(context.home, job.id)}.lock`, () => drive(job, context, tree), {
    waitMs: 0,
    first: true,
  });
}

async function drive(begun: Job, context: WorkContext, resolved: Tree | undefined): Promise<Job> {
  await recoverRuns(context);
  await deliverEndings(context);
  // What an earlier drive could not bring to success is tried again; what succeeded is not.
  const again = new Set(begun.items.map(({ id }) => id).filter((id) => hasFailed(id, begun, context)));
  const { endedAt: _, cancelled: __, reconciledBy, ...open } = begun;
  let job = writeJob(context.home, {
    ...open,
    owner: currentOwner(),
    ...(reconciledBy !== undefined && again.size === 0 && { reconciledBy }),
  });
  const tell = (type: WorkEvent['type'], status?: string): void =>
    context.onEvent({
      type,
      at: new Date(context.clock.now()).toISOString(),
      job_id: job.id,
      ...(status && { status }),
    });
  const host: LevelHost = {
    context,
    job: () => job,
    begin: (itemId, runId) => {
      job = writeJob(context.home, { ...job, runs: { ...job.runs, [itemId]: runId } });
    },
  };
  tell('job.started');
  let tree = resolved;
  const treeOf = async (): Promise<Tree> => (tree ??= await resolveTree(context.workspace, job.root));
  const workers = job.items.filter((item) => !isReconcilerOnly(item, context));
  for (const [index, level] of resolveDependencies(workers).entries()) {
    if (context.signal.aborted) break;
    const runnable = level.filter((item) => again.has(item.id) || isOpen(item, job, context));
    if (runnable.length === 0) continue;
    tell('level.started', String(index));
    await runLevel(runnable, await treeOf(), host);
  }
  const settled = workers.every((item) => isEnded(itemState(context.home, job, item.id)));
  if (settled && !context.signal.aborted && needsReconciler(job) && job.reconciledBy === undefined) {
    job = writeJob(context.home, { ...job, reconciledBy: await reconcile(job, await treeOf(), context) });
    tell('job.reconciled');
  }
  const whole = workers.every((item) => itemState(context.home, job, item.id).status === 'success');
  const { owner: ___, ...rest } = job;
  job = writeJob(context.home, {
    ...rest,
    ...(settled && { endedAt: new Date(context.clock.now()).toISOString() }),
    ...(context.signal.aborted && !whole && { cancelled: true }),
  });
  await releaseTasks(context, job);
  tell('job.ended');
  return job;
}

/** Items that still have to run and can: nothing they depend on waits for a person. */
function isOpen(item: WorkItem, job: Job, context: WorkContext): boolean {
  const state = itemState(context.home, job, item.id);
  if (isEnded(state) || state.status === 'waiting') return false;
  return dependenciesOf(item, job.items)
    .filter(
      (id) =>
        id in job.runs || job.items.some((other) => other.id === id && !isReconcilerOnly(other, context)),
    )
    .every((id) => isEnded(itemState(context.home, job, id)));
}

/** What a person rejected stays rejected. */
function hasFailed(id: string, job: Job, context: WorkContext): boolean {
  const state = itemState(context.home, job, id);
  if (!isEnded(state) || state.status === 'success') return false;
  return state.result.denial_reason?.startsWith(REJECTED) !== true;
}

/** The reconciler checks the whole by itself; it runs an agent first only where one is configured for it. */
function isReconcilerOnly(item: WorkItem, context: WorkContext): boolean {
  return item.agent_id === RECONCILER && !Object.hasOwn(context.agents, RECONCILER);
}

function needsReconciler(job: Job): boolean {
  return job.items.length > 1 || job.items.some(({ agent_id }) => agent_id === RECONCILER);
}

/** Refuses a plan whose agents are not all configured, before anything runs. */
export function assertAgents(items: readonly WorkItem[], context: WorkContext): void {
  for (const item of items) if (!isReconcilerOnly(item, context)) requireAgent(context.agents, item.agent_id);
}
