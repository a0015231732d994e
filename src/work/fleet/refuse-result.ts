import { omit } from '../../base/omit.ts';
import { outcomeOf } from '../journal/record-run-steps.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { describeRefusal } from './check-approval.ts';
import { endWithoutRun } from './end-without-run.ts';
import type { Fleet } from './fleet.ts';
import { replaceItem, type StoredRecord } from './item-refs.ts';
import type { ApprovalRefusal } from './item-record.ts';
import type { MergeOutcome } from './merge-result.ts';
import type { CloneRun } from './run-in-clone.ts';
import { fetchBase, recordOf } from './work-on-item.ts';
import type { QueuedItem } from './work-queue.ts';

/** Idempotent: the round is a part of the entry's name. */
export function queueAgain({ queue, queueName }: Fleet, queued: QueuedItem): Promise<void> {
  return queue.addAgain(queueName, { ...queued, round: queued.round + 1 });
}

/** A result that no longer fits the branch: its item runs again on the new base, once; then it is denied. */
export async function sendBack(
  fleet: Fleet,
  queued: QueuedItem,
  {
    current,
    tip,
    outcome,
  }: {
    readonly current: StoredRecord;
    readonly tip: string;
    readonly outcome: Extract<MergeOutcome, { kind: 'conflict' | 'rewound' | 'failed' }>;
  },
): Promise<undefined> {
  const { record } = current;
  if (record.fence.round === queued.round) {
    const common = recordOf(fleet, queued, record.fence);
    const { attempt, base } = record;
    const requeued = await replaceItem(fleet.remote, current, { ...common, step: 'requeued', attempt, base });
    if (requeued === undefined) return undefined;
    fleet.report(
      `${queued.item.id}: conflicts with ${tip.slice(0, 10)} or fails its tests there; runs again`,
    );
    await queueAgain(fleet, queued);
    return undefined;
  }
  if (outcome.kind === 'failed') await recordFailure(fleet, queued, outcome.run.run_id);
  const run =
    outcome.kind === 'failed'
      ? outcome.run
      : await deny(fleet, queued, tip, {
          reason: 'shard_conflict',
          why:
            outcome.kind === 'rewound'
              ? 'the branch no longer has the commit that the run started from'
              : `changed on the branch too: ${outcome.paths.join(', ')}`,
        });
  return endItem(fleet, queued, current, run);
}

/** Lets an item wait for a decision that counts. Its result is not lost, because the approver may only be missing in the keyring. */
export async function refuseApproval(
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
export async function denyResult(
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
  const ended = omit(run, 'commit', 'outcome');
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
