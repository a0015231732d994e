import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import { ownMember } from '../../base/own-member.ts';
import { sleep } from '../../base/sleep.ts';
import { branchRef } from '../workspace/landing/read-branch.ts';
import { completeCommit } from '../workspace/remote/complete-commit.ts';
import { hasCommit } from '../workspace/remote/remote-refs.ts';
import { describeProblem } from './describe-problem.ts';
import { endWithoutRun } from './end-without-run.ts';
import type { Fleet } from './fleet.ts';
import {
  readItemsWith,
  replaceItem,
  replaceItems,
  writeFirst,
  type ReadRefs,
  type StoredRecord,
} from './item-refs.ts';
import type { Fence, ItemRecord, ItemStep } from './item-record.ts';
import { keepKnown, knownBranch } from './known-refs.ts';
import { planClaim } from './plan-claim.ts';
import { keepItemSessions, type ItemSessions } from './keep-session.ts';
import { readKeptSession, type KeptSession } from './session-records.ts';
import { runInClone, type CloneRequest, type CloneRun } from './run-in-clone.ts';
import { shareLog } from './shared-logs.ts';
import type { Lease, QueuedItem } from './work-queue.ts';

/** After this many attempts whose workers were killed or unreachable, the item fails. */
const MAX_ATTEMPTS = 5;
const RETRY_MS = 2000;

/**
 * Works on an item of the queue until its result is in the remote, or another worker has it. Contract: the caller keeps the lease.
 *
 * The claim of the first attempt is pushed together with its result, because there is no earlier attempt to fence off. Each later attempt
 * pushes its claim before it runs; from then on the first attempt can no longer create the ref.
 */
export async function workOnItem(fleet: Fleet, lease: Lease, signal: AbortSignal): Promise<void> {
  const { queued } = lease;
  const { jobId, item } = queued;
  const fence = { round: queued.round, retry: lease.retry };
  const isFirst = fence.round === 0 && fence.retry === 0;
  const itemIds = [...(isFirst ? [] : [item.id]), ...item.dependencies];
  const { items, others } = await readItemsWith(
    fleet.remote,
    { jobId, itemIds },
    { [branchRef(queued.branch)]: null },
  );
  const current = items.get(item.id);
  const decision = planClaim(current?.record, fence);
  if (decision === 'stale') return undefined;
  if (decision === 'done') return lease.done();
  const stored = isTakenOver(current, fence) ? await findSession(fleet, queued) : undefined;
  const base = stored?.base ?? (await readBase(fleet, queued.branch, others));
  // The queue offers an item only after its dependencies have landed or ended. A missing ref does not show that one landed.
  const failed = item.dependencies.filter((id) => ['ended', undefined].includes(items.get(id)?.record.step));
  // A first attempt that was lost has left no ref.
  const attempt = (current?.record.attempt ?? Math.min(fence.retry, 1)) + 1;
  const record: ItemRecord = { ...recordOf(fleet, queued, fence), step: 'claimed', attempt, base };
  const claim = isFirst
    ? await writeFirst(fleet.remote, record)
    : await replaceItem(fleet.remote, current, record);
  // Another worker was faster; the numbers of their attempts decide which of the two continues.
  if (claim === undefined) return workOnItem(fleet, lease, signal);
  fleet.report(`${item.id}: attempt ${attempt} on ${base.slice(0, 10)}`);
  const agentKind = ownMember(fleet.work.agents, item.agent_id)?.kind;
  fleet.activity.begin({ jobId, itemId: item.id, attempt, since: record.at, agentKind });
  const place = { jobId, itemId: item.id, round: fence.round, attempt, base };
  const sessions = keepItemSessions(fleet, place, stored);
  const known = stored === undefined ? { [knownBranch(queued.branch)]: base } : {};
  const options = { base, attempt, failed, signal, known, keepSession: sessions.open };
  const end = await runAndDeliver(fleet, queued, { claim, sessions, options }).finally(() =>
    fleet.activity.end(jobId, item.id),
  );
  // Another worker takes the item at once if it can be returned, otherwise when the lease has expired.
  if (end === 'interrupted') return lease.returnToQueue();
  if (end === 'delivered') await sessions.drop();
  return lease.done();
}

type AttemptOptions = Pick<CloneRequest, 'base' | 'attempt' | 'signal' | 'known' | 'keepSession'> & {
  readonly failed: readonly string[];
};

/** An attempt at an item that this worker has claimed. */
interface Attempt {
  readonly claim: StoredRecord;
  readonly sessions: ItemSessions;
  readonly options: AttemptOptions;
}

/** `dropped`: another worker has the item. */
async function runAndDeliver(
  fleet: Fleet,
  queued: QueuedItem,
  { options, ...attempt }: Attempt,
): Promise<'interrupted' | 'delivered' | 'dropped'> {
  const { jobId, item } = queued;
  const run = await attemptItem(fleet, queued, options);
  if (run === undefined) return 'interrupted';
  await showLog(fleet, queued, run);
  const showProblem = (problem: unknown): void => {
    const at = new Date(fleet.work.clock.now()).toISOString();
    const text = `The result is not delivered yet: ${describeProblem(problem)}`;
    fleet.activity.note(jobId, item.id, { at, stream: 'deed', text });
  };
  const isDelivered = await retryWhileUnreachable(fleet, { signal: options.signal, showProblem }, () =>
    deliver(fleet, queued, { ...attempt, run }),
  );
  return isDelivered ? 'delivered' : 'dropped';
}

/** Whether an earlier attempt at the item has ended without a result. */
function isTakenOver(current: StoredRecord | undefined, { retry }: Fence): boolean {
  return current === undefined ? retry > 0 : current.record.step === 'claimed';
}

/** Finds the session of an earlier attempt that can be continued: one whose base this clone has or can fetch. */
async function findSession(
  fleet: Fleet,
  { jobId, item, branch, round }: QueuedItem,
): Promise<KeptSession | undefined> {
  const stored = await readKeptSession(fleet.queue.documents, { jobId, itemId: item.id, round });
  if (stored === undefined) return undefined;
  const { workspace, root } = fleet.remote;
  if (!(await hasCommit(workspace, root, stored.base))) await fetchBase(fleet, branch);
  return (await hasCommit(workspace, root, stored.base)) ? stored : undefined;
}

async function attemptItem(
  fleet: Fleet,
  { jobId, item }: QueuedItem,
  { failed, ...options }: AttemptOptions,
): Promise<CloneRun | undefined> {
  const { base, attempt } = options;
  if (failed.length > 0) {
    const message = `Dependency failed: ${failed.join(', ')}`;
    const denial = { reason: 'dependency_failed', message } as const;
    return endWithoutRun(fleet, { item, jobId, base }, { status: 'denied', code: 'E_DENIED', denial });
  }
  if (attempt > MAX_ATTEMPTS) {
    const error = `Gave up after ${MAX_ATTEMPTS} attempts: each worker was lost before its run ended.`;
    return endWithoutRun(fleet, { item, jobId, base }, { status: 'failure', code: 'E_AGENT_FAILED', error });
  }
  return runInClone(fleet, { item, jobId, ...options });
}

/** Others can read the end of the log; the run does not depend on it. */
async function showLog(
  { queue, work, host, report }: Fleet,
  { jobId, item }: QueuedItem,
  { run_id: runId }: CloneRun,
): Promise<void> {
  try {
    const agentKind = ownMember(work.agents, item.agent_id)?.kind;
    await shareLog(queue.documents, work.home, { jobId, itemId: item.id, runId, host, agentKind });
  } catch (error) {
    report(`${item.id}: its log is only on this host: ${errorMessage(error)}`);
  }
}

/** A result is not lost because the remote is unreachable for a while: the push is retried until another worker has the item. */
async function retryWhileUnreachable<T>(
  fleet: Fleet,
  { signal, showProblem }: { readonly signal: AbortSignal; readonly showProblem: (problem: unknown) => void },
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'E_NETWORK' || signal.aborted) throw error;
      fleet.report(error.message);
      showProblem(error);
      await sleep(RETRY_MS, signal);
    }
  }
}

/** Replaces the claim by the result. False if the claim is no longer there: another worker has the item, and this result is dropped. */
async function deliver(
  fleet: Fleet,
  queued: QueuedItem,
  { claim, sessions, run }: Pick<Attempt, 'claim' | 'sessions'> & { readonly run: CloneRun },
): Promise<boolean> {
  const { item } = queued;
  const step = stepAfter(run, item.approval === true);
  const { fence, attempt, base } = claim.record;
  const record: ItemRecord = { ...recordOf(fleet, queued, fence), step, attempt, base, ...run };
  const move = { previous: claim, record };
  const delivered =
    (await replaceItems(fleet.remote, [move], sessions.endOfRef())) ??
    // Perhaps only the ref of the session has moved: then the result counts, and an integrator deletes the ref later.
    (sessions.endOfRef().length > 0 ? await replaceItems(fleet.remote, [move]) : undefined);
  fleet.report(
    delivered === undefined
      ? `${item.id}: another worker has it; the result of attempt ${attempt} is dropped`
      : `${item.id}: ${run.result.status}${step === 'waiting' ? ', waits for approval' : ''}`,
  );
  return delivered !== undefined;
}

function stepAfter({ result }: CloneRun, needsApproval: boolean): ItemStep {
  if (result.status !== 'success') return 'ended';
  return needsApproval ? 'waiting' : 'result';
}

/** Fetches the tip of the branch, on which an item starts. */
export async function fetchBase({ remote }: Pick<Fleet, 'remote'>, branch: string): Promise<string> {
  const { others } = await readItemsWith(remote, { jobId: '', itemIds: [] }, { [branchRef(branch)]: null });
  return prepareBase({ remote }, branch, others);
}

/** Makes the tip of the branch, as it was read from the remote, the base of an item, and remembers it. */
export async function prepareBase(
  { remote }: Pick<Fleet, 'remote'>,
  branch: string,
  read: ReadRefs['others'],
): Promise<string> {
  const tip = await readBase({ remote }, branch, read);
  await keepKnown(remote, { [knownBranch(branch)]: tip });
  return tip;
}

async function readBase(
  { remote }: Pick<Fleet, 'remote'>,
  branch: string,
  read: ReadRefs['others'],
): Promise<string> {
  const { commit: tip } = read.get(branchRef(branch)) ?? {};
  if (tip === undefined)
    throw new Fault('E_NOT_FOUND', `The remote ${remote.url} has no branch "${branch}".`, {
      hint: `Push it first: git push origin ${branch}`,
      details: { field: 'branch', branch },
    });
  await completeCommit(remote.workspace, remote, tip);
  return tip;
}

/** The members that every record of an item has. */
export function recordOf(
  { id, work }: Pick<Fleet, 'id' | 'work'>,
  { jobId, item }: Pick<QueuedItem, 'jobId' | 'item'>,
  fence: Fence,
): Pick<ItemRecord, 'version' | 'job_id' | 'item_id' | 'fence' | 'by' | 'at'> {
  const at = new Date(work.clock.now()).toISOString();
  return { version: 1, job_id: jobId, item_id: item.id, fence, by: id, at };
}
