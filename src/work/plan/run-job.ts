import { omit } from '../../base/omit.ts';
import { ownMember } from '../../base/own-member.ts';
import { withLock } from '../../system/lock.ts';
import { requireAgent } from '../executors/agent-config.ts';
import { dependenciesOf, resolveDependencies } from '../item/resolve-dependencies.ts';
import { RECONCILER, type WorkItem } from '../item/work-item.ts';
import { releaseTasks } from '../journal/job-tasks.ts';
import { deliverOutcomes } from '../journal/outbox.ts';
import { checkReceiptFiles } from '../receipt/check-receipt-files.ts';
import { REJECTED } from '../run/rejected.ts';
import { jobFolder } from '../run/run-folder.ts';
import { currentOwner } from '../run/owner.ts';
import type { WorkEvent } from '../run/work-event.ts';
import type { WorkContext } from '../work-context.ts';
import { openCheckout, removeCheckout } from '../workspace/landing/open-checkout.ts';
import { resolveTree } from '../workspace/resolve-tree.ts';
import type { Tree } from '../workspace/tree.ts';
import { isEnded } from './item-state.ts';
import { itemState, writeJob, type Job } from './job.ts';
import { recoverRuns } from './recover-runs.ts';
import { runLevel, type LevelHost } from './run-level.ts';

/**
 * Runs a job until it ends or waits for approval: level by level, then the reconciler. Successful items are not run again, so a
 * second call continues where the first one stopped. One process at a time. The tree is resolved unless the caller passes it.
 */
export async function runJob(job: Job, context: WorkContext, tree?: Tree): Promise<Job> {
  return withLock(`${jobFolder(context.home, job.id)}.lock`, () => runLevels(job, context, tree), {
    waitMs: 0,
    nothingChangedYet: true,
  });
}

async function runLevels(begun: Job, context: WorkContext, resolved: Tree | undefined): Promise<Job> {
  checkReceiptFiles(context.home);
  // A worker of a queue does this at intervals.
  if (context.landsElsewhere === undefined) await recoverRuns(context);
  await deliverOutcomes(context);
  // Items that failed in an earlier call are tried again; successful ones are not.
  const retried = new Set(
    begun.items.map(({ id }) => id).filter((id) => hasFailed(id, begun, context) || isSentBack(id, begun)),
  );
  const { reconciledBy } = begun;
  let job = writeJob(context.home, {
    ...omit(begun, 'endedAt', 'cancelled', 'reconciledBy'),
    owner: currentOwner(),
    ...(reconciledBy !== undefined && retried.size === 0 && { reconciledBy }),
  });
  const emit = (type: WorkEvent['type'], status?: string): void =>
    context.onEvent({
      type,
      at: new Date(context.clock.now()).toISOString(),
      job_id: job.id,
      ...(status && { status }),
    });
  const host: LevelHost = {
    context,
    job: () => job,
    recordRun: (itemId, runId) => {
      const earlier = (ownMember(job.attempts, itemId) ?? []).filter((id) => id !== runId);
      const attempts = { ...job.attempts, [itemId]: [...earlier, runId] };
      job = writeJob(context.home, { ...job, runs: { ...job.runs, [itemId]: runId }, attempts });
    },
  };
  emit('job.started');
  let tree = resolved;
  const { branch, root } = job;
  // A checkout is opened for each level, because others may move its branch.
  const treeOf = async (): Promise<Tree> => {
    tree ??= await resolveTree(context.workspace, root);
    if (branch === undefined) return tree;
    const start = context.landsElsewhere;
    return openCheckout(context.workspace, { jobId: job.id, userTree: tree, branch, start });
  };
  const workers = job.items.filter((item) => !isReconcilerOnly(item, context));
  for (const [index, level] of resolveDependencies(workers).entries()) {
    if (context.signal.aborted) break;
    const runnable = level.filter(
      (item) => (retried.has(item.id) || isOpen(item, job, context)) && isReady(item, job, context),
    );
    if (runnable.length === 0) continue;
    emit('level.started', String(index));
    await runLevel(level, runnable, await treeOf(), host);
  }
  const settled = workers.every((item) => isEnded(itemState(context.home, job, item.id)));
  if (settled && !context.signal.aborted && needsReconciler(job) && job.reconciledBy === undefined) {
    const { reconcile } = await import('./reconcile.ts');
    job = writeJob(context.home, { ...job, reconciledBy: await reconcile(job, await treeOf(), context) });
    emit('job.reconciled');
  }
  const succeeded = workers.every((item) => itemState(context.home, job, item.id).status === 'success');
  job = writeJob(context.home, {
    ...omit(job, 'owner'),
    ...(settled && { endedAt: new Date(context.clock.now()).toISOString() }),
    ...(context.signal.aborted && !succeeded && { cancelled: true }),
  });
  // A worker of a queue keeps it for its next item.
  if (settled && context.landsElsewhere === undefined) removeCheckout(context.workspace, job.id);
  await releaseTasks(context, job);
  emit('job.ended');
  return job;
}

/** Whether an item still has to run. */
function isOpen(item: WorkItem, job: Job, context: WorkContext): boolean {
  const state = itemState(context.home, job, item.id);
  return !isEnded(state) && state.status !== 'waiting';
}

/** Whether an item can run now, also again: none of its dependencies waits for approval. */
function isReady(item: WorkItem, job: Job, context: WorkContext): boolean {
  return dependenciesOf(item, job.items)
    .filter(
      (id) =>
        Object.hasOwn(job.runs, id) ||
        job.items.some((other) => other.id === id && !isReconcilerOnly(other, context)),
    )
    .every((id) => isEnded(itemState(context.home, job, id)));
}

/** Whether the last run of an item was sent back. */
function isSentBack(id: string, { runs, revisions }: Job): boolean {
  const revision = ownMember(revisions, id);
  return revision !== undefined && revision.of === ownMember(runs, id);
}

/** Runs rejected by a person are not retried. */
function hasFailed(id: string, job: Job, context: WorkContext): boolean {
  const state = itemState(context.home, job, id);
  if (!isEnded(state) || state.status === 'success') return false;
  return state.result.denial_reason?.startsWith(REJECTED) !== true;
}

/** The reconciler runs an agent only if one is configured for it; otherwise it only runs tests. */
function isReconcilerOnly(item: WorkItem, context: WorkContext): boolean {
  return item.agent_id === RECONCILER && !Object.hasOwn(context.agents, RECONCILER);
}

function needsReconciler(job: Job): boolean {
  return job.items.length > 1 || job.items.some(({ agent_id }) => agent_id === RECONCILER);
}

/** Rejects a plan with an unknown agent before anything runs. */
export function assertAgents(items: readonly WorkItem[], context: WorkContext): void {
  for (const item of items) if (!isReconcilerOnly(item, context)) requireAgent(context.agents, item.agent_id);
}
