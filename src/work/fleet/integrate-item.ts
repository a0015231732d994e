import { join, relative } from 'node:path';
import { outcomeOf } from '../journal/record-run-steps.ts';
import type { RunOutcome } from '../journal/run-journal.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { completeCommit } from '../workspace/remote/complete-commit.ts';
import { checkApproval, describeRefusal } from './check-approval.ts';
import { checkProof, readFleetTrust } from './check-proof.ts';
import { endWithoutRun } from './end-without-run.ts';
import type { Fleet } from './fleet.ts';
import { readItems, replaceItem, type StoredRecord } from './item-refs.ts';
import type { ApprovalRefusal, ItemRecord } from './item-record.ts';
import { mergeResult, type MergeOutcome } from './merge-result.ts';
import { findPromotionProblem, promoteItem } from './promote-item.ts';
import { readForLanding, type LandingState } from './read-for-landing.ts';
import { standAlone, type CloneRun } from './run-in-clone.ts';
import { fetchBase, prepareBase, recordOf } from './work-on-item.ts';
import type { Lease, QueuedItem } from './work-queue.ts';

/** The branch may move while a result is merged and tested. */
const MAX_TRIES = 5;

/**
 * Lands the result of an item: the branch, the item's ref and the ledger move in one step, so the branch has the result exactly if the ref is
 * promoted and the ledger has its entry.
 * An item that has no result yet stays in the queue.
 */
export async function integrateItem(fleet: Fleet, lease: Lease, signal: AbortSignal): Promise<void> {
  const { queued } = lease;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const read = await readForLanding(fleet, queued);
    const { current } = read;
    const step = current?.record.step;
    // The integrator that sent it back may have died before it queued the item.
    if (step === 'requeued') await queueAgain(fleet, queued);
    if (current === undefined || isOpen(current.record)) break;
    if (step === 'cancelled') return lease.done();
    if (step === 'ended') return lease.done();
    if (step === 'promoted') {
      const problem = await findPromotionProblem(fleet, current.record);
      if (problem !== undefined) {
        await denyResult(fleet, queued, current, `it was marked as promoted, but ${problem}`);
        continue;
      }
    }
    const landed = step === 'promoted' ? current : await land(fleet, queued, { ...read, current }, signal);
    if (landed !== undefined) {
      await recordOutcome(fleet, landed.record);
      return lease.done();
    }
    if (signal.aborted) return undefined;
  }
  return lease.giveBack();
}

/** Whether there is nothing to land yet. */
function isOpen({ step }: ItemRecord): boolean {
  return step === 'claimed' || step === 'waiting' || step === 'requeued';
}

/** One try to land a result; undefined if it did not land, or if others moved the branch or the ref meanwhile: the caller reads again. */
async function land(
  fleet: Fleet,
  queued: QueuedItem,
  { current, others, ledger }: LandingState & { readonly current: StoredRecord },
  signal: AbortSignal,
): Promise<StoredRecord | undefined> {
  const { remote } = fleet;
  const { record } = current;
  const trust = readFleetTrust(fleet);
  const proof = checkProof(record, standAlone(queued.item), trust.workers);
  if ('problem' in proof) return denyResult(fleet, queued, current, proof.problem);
  const approval =
    queued.item.approval === true
      ? checkApproval(record, proof.receipt.receipt_hash, trust.approvers)
      : undefined;
  if (approval && 'refused' in approval) return refuseApproval(fleet, queued, current, approval.refused);
  const tip = await prepareBase(fleet, queued.branch, others);
  const promoted: ItemRecord = { ...record, ...recordOf(fleet, queued, record.fence), step: 'promoted' };
  const place = { branch: queued.branch, before: tip, after: tip };
  const request = { current, promoted, ...place, ledger, proof, approval };
  if (record.commit === undefined) return promoteItem(fleet, request);
  // A merge compares both sides with what they started from.
  if (record.base !== undefined) await completeCommit(remote.workspace, remote, record.base);
  const outcome = await mergeResult(fleet, {
    jobId: queued.jobId,
    item: queued.item,
    commit: record.commit,
    tip,
    earlierTests: await earlierTests(fleet, queued),
    attempt: record.attempt,
    signal,
  });
  if (outcome.kind === 'interrupted') return undefined;
  if (outcome.kind !== 'merged') return sendBack(fleet, queued, { current, tip, outcome });
  const { commit } = outcome;
  const landed = await promoteItem(fleet, { ...request, promoted: { ...promoted, commit }, after: commit });
  if (landed !== undefined) fleet.report(`${queued.item.id}: promoted as ${commit.slice(0, 10)}`);
  return landed;
}

/** Idempotent: the round is a part of the entry's name. */
function queueAgain({ queue, queueName }: Fleet, queued: QueuedItem): Promise<void> {
  return queue.addAgain(queueName, { ...queued, round: queued.round + 1 });
}

/** A result that no longer fits the branch: its item runs again on the new base, once; then it is denied. */
async function sendBack(
  fleet: Fleet,
  queued: QueuedItem,
  {
    current,
    tip,
    outcome,
  }: {
    readonly current: StoredRecord;
    readonly tip: string;
    readonly outcome: Extract<MergeOutcome, { kind: 'conflict' | 'failed' }>;
  },
): Promise<undefined> {
  const { record } = current;
  if (record.fence.round === queued.round) {
    const common = recordOf(fleet, queued, record.fence);
    const { attempt, base } = record;
    const requeued = await replaceItem(fleet.remote, current, { ...common, step: 'requeued', attempt, base });
    if (requeued === undefined) return undefined;
    fleet.report(`${queued.item.id}: does not fit ${tip.slice(0, 10)}; runs again`);
    await queueAgain(fleet, queued);
    return undefined;
  }
  if (outcome.kind === 'failed') await recordFailure(fleet, queued, outcome.run.run_id);
  const run =
    outcome.kind === 'failed'
      ? outcome.run
      : await deny(fleet, queued, tip, {
          reason: 'shard_conflict',
          why: `changed on the branch too: ${outcome.paths.join(', ')}`,
        });
  return endItem(fleet, queued, current, run);
}

/** Lets an item wait for a decision that counts. Its result is not lost, because the approver may only be missing in the keyring. */
async function refuseApproval(
  fleet: Fleet,
  queued: QueuedItem,
  { commit, record }: StoredRecord,
  refused: ApprovalRefusal,
): Promise<undefined> {
  const { approval: _, ...rest } = record;
  const waiting = { ...rest, ...recordOf(fleet, queued, record.fence), step: 'waiting', refused } as const;
  await replaceItem(fleet.remote, { commit, record }, waiting);
  fleet.report(`${queued.item.id}: ${describeRefusal(refused)}`);
  return undefined;
}

/** Ends an item whose ref says what no trusted signer signed. */
async function denyResult(
  fleet: Fleet,
  queued: QueuedItem,
  current: StoredRecord,
  why: string,
): Promise<undefined> {
  const tip = await fetchBase(fleet, queued.branch);
  const refusal = { reason: 'invariant_violated', why } as const;
  return endItem(fleet, queued, current, await deny(fleet, queued, tip, refusal));
}

interface Refusal {
  readonly reason: 'shard_conflict' | 'invariant_violated';
  readonly why: string;
}

function deny(
  fleet: Fleet,
  { item, jobId }: QueuedItem,
  base: string,
  { reason, why }: Refusal,
): Promise<CloneRun> {
  const denial = { reason, message: `The result cannot land, nothing was promoted; ${why}` };
  const code = reason === 'shard_conflict' ? 'E_CONFLICT' : 'E_DENIED';
  return endWithoutRun(fleet, { item, jobId, base }, { status: 'denied', code, denial });
}

async function endItem(
  fleet: Fleet,
  queued: QueuedItem,
  current: StoredRecord,
  run: CloneRun,
): Promise<undefined> {
  const { fence, attempt, base } = current.record;
  const { commit: _, outcome: __, ...ended } = run;
  const common = recordOf(fleet, queued, fence);
  await replaceItem(fleet.remote, current, { ...common, step: 'ended', attempt, base, ...ended });
  fleet.report(`${queued.item.id}: ${run.result.denial_reason ?? run.result.error ?? run.result.status}`);
  return undefined;
}

/** The run of the merge is not in the journal; the end of its item is. */
async function recordFailure(
  { work, remote }: Fleet,
  { jobId, item }: QueuedItem,
  runId: string,
): Promise<void> {
  const receipt = readReceipt(work.home, runId);
  if (receipt === undefined) return;
  await work.journal?.ended(outcomeOf(work.home, { runId, jobId, item, root: remote.root }, receipt));
}

/** Items of a job must not break the tests of those that landed before them. */
async function earlierTests(
  { remote }: Fleet,
  { jobId, tests = {} }: QueuedItem,
): Promise<readonly string[]> {
  if (Object.keys(tests).length === 0) return [];
  const records = await readItems(remote, jobId);
  return Object.entries(tests).flatMap(([id, command]) =>
    records.get(id)?.record.step === 'promoted' ? [command] : [],
  );
}

/** Records a promoted item in the journal, with the paths of this clone; idempotent by run. */
async function recordOutcome({ work, remote }: Fleet, { outcome }: ItemRecord): Promise<void> {
  if (outcome === undefined) return;
  await work.journal?.ended(moveOutcome(outcome, remote.root));
}

function moveOutcome(outcome: RunOutcome, root: string): RunOutcome {
  const files = outcome.files.map((file) => ({
    ...file,
    path: join(root, relative(outcome.root, file.path)),
  }));
  return { ...outcome, root, files };
}
