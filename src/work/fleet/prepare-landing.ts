import type { Trust } from '../receipt/keyring.ts';
import { completeCommit } from '../workspace/remote/complete-commit.ts';
import { checkApproval } from './check-approval.ts';
import { checkProof } from './check-proof.ts';
import type { Fleet } from './fleet.ts';
import { readItems, type StoredRecord } from './item-refs.ts';
import type { ApprovalRefusal, ItemRecord } from './item-record.ts';
import { mergeResult, type MergeOutcome } from './merge-result.ts';
import type { PreparedLanding } from './promote-items.ts';
import type { LandingState } from './read-for-landing.ts';
import { toStandaloneItem } from './run-in-clone.ts';
import { recordOf } from './work-on-item.ts';
import type { QueuedItem } from './work-queue.ts';

/** Whether a result may land. */
export type CheckedResult =
  | {
      readonly kind: 'valid';
      readonly proof: PreparedLanding['proof'];
      readonly approval: PreparedLanding['approval'];
    }
  | { readonly kind: 'denied'; readonly problem: string }
  | { readonly kind: 'refused'; readonly refused: ApprovalRefusal };

/** Checks who signed a result, and its approval if it needs one. */
export function checkResult({ item }: QueuedItem, record: ItemRecord, trust: Trust): CheckedResult {
  const proof = checkProof(record, toStandaloneItem(item), trust.workers);
  if ('problem' in proof) return { kind: 'denied', problem: proof.problem };
  if (item.approval !== true) return { kind: 'valid', proof, approval: undefined };
  const approval = checkApproval(record, proof.receipt.receipt_hash, trust.approvers);
  return 'refused' in approval
    ? { kind: 'refused', refused: approval.refused }
    : { kind: 'valid', proof, approval };
}

/** Merges a result onto the tip of its branch. A result without a commit leaves the tip as it is. */
export async function mergeOnto(
  fleet: Fleet,
  queued: QueuedItem,
  { commit, base, attempt }: ItemRecord,
  tip: string,
  signal: AbortSignal,
): Promise<MergeOutcome> {
  if (commit === undefined) return { kind: 'merged', commit: tip };
  const { remote } = fleet;
  // A merge compares both sides with what they started from.
  if (base !== undefined) await completeCommit(remote.workspace, remote, base);
  const { jobId, item } = queued;
  return mergeResult(fleet, {
    jobId,
    item,
    commit,
    tip,
    earlierTests: await testsOfEarlierItems(fleet, queued),
    attempt,
    signal,
  });
}

export function landingOf(
  fleet: Fleet,
  queued: QueuedItem,
  {
    current,
    checked: { proof, approval },
    before,
    after,
  }: {
    readonly current: StoredRecord;
    readonly checked: Extract<CheckedResult, { kind: 'valid' }>;
    readonly before: string;
    readonly after: string;
  },
): PreparedLanding {
  const { record } = current;
  const promoted: ItemRecord = {
    ...record,
    ...recordOf(fleet, queued, record.fence),
    step: 'promoted',
    ...(record.commit !== undefined && { commit: after }),
  };
  return { current, promoted, branch: queued.branch, before, after, proof, approval };
}

/** Plans to land a result directly after others of the same push. Undefined if that needs more than a merge; the result is then landed later, as the first of a push. */
export async function landAfter(
  fleet: Fleet,
  queued: QueuedItem,
  {
    read,
    trust,
    before,
    signal,
  }: {
    readonly read: LandingState;
    readonly trust: Trust;
    readonly before: string;
    readonly signal: AbortSignal;
  },
): Promise<PreparedLanding | undefined> {
  const current = read.recordOf(queued);
  if (current?.record.step !== 'result') return undefined;
  const checked = checkResult(queued, current.record, trust);
  if (checked.kind !== 'valid') return undefined;
  const outcome = await mergeOnto(fleet, queued, current.record, before, signal);
  if (outcome.kind !== 'merged') return undefined;
  return landingOf(fleet, queued, { current, checked, before, after: outcome.commit });
}

/** Reads the tests of the items of a job that have landed: a later item must not break them. */
async function testsOfEarlierItems(
  { remote }: Fleet,
  { jobId, tests = {} }: QueuedItem,
): Promise<readonly string[]> {
  if (Object.keys(tests).length === 0) return [];
  const records = await readItems(remote, jobId);
  return Object.entries(tests).flatMap(([id, command]) =>
    records.get(id)?.record.step === 'promoted' ? [command] : [],
  );
}
