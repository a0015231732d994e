import type * as v from 'valibot';
import { openFleet } from '../../app/fleet/open-fleet.ts';
import { Fault } from '../../base/fault.ts';
import { sleep } from '../../base/sleep.ts';
import { printable } from '../../base/text.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { Change } from '../../contract/plan.ts';
import { countUnpushed } from '../../work/fleet/count-unpushed.ts';
import type { Fleet } from '../../work/fleet/fleet.ts';
import type { FleetChange } from '../../work/fleet/follow-job.ts';
import { watchJob, type WatchedJob } from '../../work/fleet/watch-job.ts';
import { assertForQueue, assertResumable, submitJob } from '../../work/fleet/submit-job.ts';
import { fetchBase } from '../../work/fleet/work-on-item.ts';
import { hashItem } from '../../work/item/hash-item.ts';
import type { WorkItem } from '../../work/item/work-item.ts';
import { createJob } from '../../work/plan/create-job.ts';
import { isEnded, type ItemState } from '../../work/plan/item-state.ts';
import { viewJob } from '../../work/plan/job-status.ts';
import { itemState, writeJob, type Job } from '../../work/plan/job.ts';
import type { WorkContext } from '../../work/work-context.ts';
import { warnUncommitted } from '../../work/run/describe-landing.ts';
import { readCurrentBranch } from '../../work/workspace/landing/read-branch.ts';
import { findHold } from './read-hold.ts';
import { requireJobResult } from './require-job-result.ts';
import { withWatchLink } from './watch-link.ts';
import type { jobResultSchema } from './work-schemas.ts';

/** Others are asked less often while nothing happens, and while many items are open, because the job cannot end soon. */
const POLL_MS = { least: 1000, most: 5000, factor: 1.5, perItem: 250, mostByItems: 3000 };

/** When a waiting caller is notified why its job cannot continue. */
const HOLD_MS = { first: 5000, next: 15_000 };

export interface QueueRequest {
  readonly queue: string;
  readonly root: string;
  readonly items: readonly WorkItem[];
  /** The branch that the items land on; by default the checked-out branch. */
  readonly branch?: string | undefined;
  readonly detach: boolean;
  /** The job to put into the queue again. */
  readonly resumed?: Job | undefined;
}

/** Lists what a queue would get: the items, and the branch of the remote that they land on. */
export async function planOnQueue(
  request: Omit<QueueRequest, 'detach'>,
  work: WorkContext,
  context: CommandContext,
): Promise<Change[]> {
  assertForQueue(request.items);
  return withFleet(request, work, context, async (fleet, branch) => {
    // Fails here if the remote is unreachable or has no such branch.
    const tip = await fetchBase(fleet, branch);
    const unpushed = await countUnpushed(fleet, branch, tip);
    if (unpushed > 0)
      context.warn(
        `Commits of "${branch}" that are not pushed are not part of the work: ${unpushed}. Push them first: git push`,
      );
    if (request.resumed === undefined)
      await warnUncommitted(work, request.root, 'Commit and push them first.');
    else await assertResumable(fleet, request.resumed);
    return openItems(request, work).map((item) => ({
      action: 'queue',
      resource: 'item',
      id: item.id,
      after: { queue: request.queue, branch, remote: fleet.remote.url, requires: [...(item.requires ?? [])] },
      version: hashItem(item).slice(0, 16),
    }));
  });
}

/** The items that a queue would run. One that ended has its final step in the remote and never runs again. */
function openItems(
  { items, resumed, queue }: Pick<QueueRequest, 'items' | 'resumed' | 'queue'>,
  { home }: WorkContext,
): readonly WorkItem[] {
  if (resumed === undefined) return items;
  const states = items.map(({ id }) => itemState(home, resumed, id));
  const open = items.filter((_, index) => !isEnded(states[index] as ItemState));
  if (open.length > 0 || states.every(({ status }) => status === 'success')) return open;
  throw new Fault(
    'E_CONFLICT',
    `All items of job ${resumed.id} have ended, and a queue runs no item again.`,
    {
      hint: `Run the items that failed as a new job: work run <plan> --on ${queue} --dry-run`,
      details: { field: 'resume', job_id: resumed.id },
    },
  );
}

/** Puts a job into a queue and follows it until it ends or waits for a person, unless the caller detaches. */
export async function runOnQueue(
  request: QueueRequest,
  work: WorkContext,
  context: CommandContext,
): Promise<v.InferOutput<typeof jobResultSchema>> {
  return withFleet(request, work, context, async (fleet, branch) => {
    const job = await submitJob(fleet, jobOf(request, work, { branch, url: fleet.remote.url }));
    return withWatchLink(job.id, context, () =>
      followUnlessDetached({ fleet, job, branch, request }, work, context),
    );
  });
}

interface Submitted {
  readonly fleet: Fleet;
  readonly job: Job;
  readonly branch: string;
  readonly request: QueueRequest;
}

async function followUnlessDetached(
  { fleet, job: submitted, branch, request }: Submitted,
  work: WorkContext,
  context: CommandContext,
): Promise<v.InferOutput<typeof jobResultSchema>> {
  const { name: tool } = context.tool;
  let job = submitted;
  if (request.detach)
    return {
      job_id: job.id,
      status: 'pending',
      root: job.root,
      branch,
      poll: `${tool} work status --id ${job.id}`,
      result: `${tool} work result --id ${job.id}`,
    };
  context.onForcedExit(() => stillQueued(tool, job));
  const watch = watchJob(fleet, job);
  const reportHold = createHoldReporter(fleet, context);
  let pauseMs = POLL_MS.least;
  while (job.endedAt === undefined && viewJob(work.home, job, work.clock.now()).waiting.length === 0) {
    if (context.signal.aborted) throw stillQueued(tool, job);
    const followed = await watchOrReportOutage(fleet, job, watch);
    for (const change of followed.changes) report(change, job, context);
    job = followed.job;
    await reportHold(job);
    pauseMs =
      followed.changes.length > 0
        ? shortestPause(followed.open)
        : Math.min(POLL_MS.most, pauseMs * POLL_MS.factor);
    if (job.endedAt === undefined) await sleep(pauseMs, context.signal);
  }
  return requireJobResult(tool, work.home, job, work.clock.now());
}

function shortestPause(open: number): number {
  return Math.min(POLL_MS.mostByItems, Math.max(POLL_MS.least, open * POLL_MS.perItem));
}

/** Reports why the job cannot continue, once for each reason. The first check is after a while: workers may be starting. */
function createHoldReporter(
  { queue, queueName }: Fleet,
  context: CommandContext,
): (job: Job) => Promise<void> {
  let [lookAtMs, told] = [performance.now() + HOLD_MS.first, ''];
  return async (job) => {
    if (performance.now() < lookAtMs || job.endedAt !== undefined) return;
    lookAtMs = performance.now() + HOLD_MS.next;
    const place = { home: context.home.path, name: queueName, queue };
    const held = (await findHold(job, place).catch(ignoreFault)) ?? '';
    if (held === told) return;
    told = held;
    if (held === '') return;
    const at = new Date(context.system.clock.now()).toISOString();
    context.emit({ type: 'job.held', at, job_id: job.id, held });
    context.progress(printable(held));
  };
}

function ignoreFault(error: unknown): undefined {
  if (!(error instanceof Fault)) throw error;
}

/** Watches a job. If the network fails, reports that and returns no changes: the job continues without this process. */
async function watchOrReportOutage(
  fleet: Fleet,
  job: Job,
  watch: (job: Job) => Promise<WatchedJob>,
): Promise<WatchedJob> {
  try {
    return await watch(job);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'E_NETWORK') throw error;
    fleet.report(error.message);
    return { job, changes: [], open: job.items.length };
  }
}

function jobOf(
  { queue, root, items, resumed }: QueueRequest,
  work: WorkContext,
  { branch, url }: { readonly branch: string; readonly url: string },
): Job {
  const job = resumed ?? createJob(work, items, { root, jobs: 1, branch });
  const round = resumed?.fleet === undefined ? 0 : resumed.fleet.round + (resumed.cancelled === true ? 2 : 0);
  return writeJob(work.home, { ...job, fleet: { queue, url, round } });
}

async function withFleet<T>(
  { queue, root, branch }: Pick<QueueRequest, 'queue' | 'root' | 'branch'>,
  work: WorkContext,
  context: CommandContext,
  use: (fleet: Fleet, branch: string) => Promise<T>,
): Promise<T> {
  const target = branch ?? (await readCurrentBranch(work.workspace, root));
  const fleet = await openFleet(context, work, { queue, root });
  try {
    return await use(fleet, target);
  } finally {
    await fleet.queue.close();
  }
}

function report({ itemId, state }: FleetChange, job: Job, context: CommandContext): void {
  const { step, by, attempt, runId, result } = state;
  const at = new Date(context.system.clock.now()).toISOString();
  const event = {
    type: `item.${step}`,
    at,
    job_id: job.id,
    item_id: itemId,
    worker_id: by,
    attempt,
    ...(runId !== undefined && { run_id: runId }),
    ...(result !== undefined && { status: result.status }),
  };
  context.emit(event);
  context.progress(
    printable(`${event.type} ${itemId} · ${by}${result === undefined ? '' : ` · ${result.status}`}`),
  );
}

/** The job continues without this process. */
function stillQueued(tool: string, job: Job): Fault {
  return new Fault(
    'E_INTERRUPTED',
    `Job ${job.id} is still in its queue; only this command was interrupted.`,
    {
      hint: `Follow it: ${tool} work status ${job.id}; stop it: ${tool} work cancel ${job.id}`,
      details: { job_id: job.id },
    },
  );
}
