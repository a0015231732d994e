import { join, relative } from 'node:path';
import type { RunOutcome } from '../journal/run-journal.ts';
import { readFleetTrust } from './check-proof.ts';
import type { Fleet } from './fleet.ts';
import type { StoredRecord } from './item-refs.ts';
import type { ItemRecord } from './item-record.ts';
import { mergeOnto, checkResult, landAfter, landingOf } from './prepare-landing.ts';
import { findPromotionProblem, promoteItems, type PreparedLanding } from './promote-items.ts';
import { readForLanding, type LandingState } from './read-for-landing.ts';
import { denyResult, queueAgain, refuseApproval, sendBack } from './refuse-result.ts';
import { prepareBase } from './work-on-item.ts';
import type { Lease, QueuedItem } from './work-queue.ts';

/** The branch may move while a result is merged and tested. */
const MAX_TRIES = 5;

/**
 * Lands the results of items, in their order: the branch, the refs of the items and the ledger move in one step, so the branch has a result
 * exactly if its ref is promoted and the ledger has its entry. An item that has no result yet stays in the queue.
 */
export async function integrateItems(
  fleet: Fleet,
  leases: readonly Lease[],
  signal: AbortSignal,
): Promise<void> {
  for (let rest = leases; rest.length > 0;) {
    const [first, ...others] = rest as [Lease, ...Lease[]];
    const landed = await integrateItem(fleet, first, others, signal);
    rest = others.filter((lease) => !landed.has(lease));
    if (!signal.aborted) continue;
    for (const lease of rest) await lease.returnToQueue();
    return;
  }
}

/** Lands the result of an item, and with it those of others that can land directly after it. Returns these others. */
async function integrateItem(
  fleet: Fleet,
  lease: Lease,
  others: readonly Lease[],
  signal: AbortSignal,
): Promise<ReadonlySet<Lease>> {
  const { queued } = lease;
  // After a try that failed, the result is tried alone.
  let followers = others.filter((other) => canFollow(queued, other.queued));
  for (let tries = 0; tries < MAX_TRIES; tries += 1, followers = []) {
    const items = [queued, ...followers.map((follower) => follower.queued)];
    const read = await readForLanding(fleet, queued.branch, items);
    const current = read.recordOf(queued);
    const step = current?.record.step;
    // The integrator that sent it back may have been killed before it queued the item.
    if (step === 'requeued') await queueAgain(fleet, queued);
    if (current === undefined || isOpen(current.record)) break;
    if (step === 'promoted') {
      const problem = await findPromotionProblem(fleet, current.record);
      if (problem !== undefined) {
        await denyResult(fleet, queued, current, `it was marked as promoted, but ${problem}`);
        continue;
      }
      await recordOutcome(fleet, current.record);
    }
    if (step !== 'result') {
      await lease.done();
      return new Set();
    }
    const landed = await tryLand(fleet, { lease, current, followers, read }, signal);
    for (const [each, { record }] of landed ?? []) {
      await recordOutcome(fleet, record);
      await each.done();
    }
    if (landed !== undefined) return new Set(landed.keys());
    if (signal.aborted) return new Set();
  }
  await lease.returnToQueue();
  return new Set();
}

/** Whether there is nothing to land yet. */
function isOpen({ step }: ItemRecord): boolean {
  return step === 'claimed' || step === 'waiting' || step === 'requeued';
}

/** Results of jobs without tests can land together: those with tests are tested one after the other, on what has landed. */
function canFollow({ branch }: QueuedItem, { item, branch: other, tests = {} }: QueuedItem): boolean {
  return other === branch && item.test_command === undefined && Object.keys(tests).length === 0;
}

interface LandRequest {
  readonly lease: Lease;
  readonly current: StoredRecord;
  readonly followers: readonly Lease[];
  readonly read: LandingState;
}

/**
 * Tries once to land a result, together with those of followers that merge cleanly. Undefined if it did not land, for example because another
 * process moved the branch or a ref; the caller then reads everything again.
 */
async function tryLand(
  fleet: Fleet,
  { lease, current, followers, read }: LandRequest,
  signal: AbortSignal,
): Promise<ReadonlyMap<Lease, StoredRecord> | undefined> {
  const { queued } = lease;
  const trust = readFleetTrust(fleet);
  const checked = checkResult(queued, current.record, trust);
  if (checked.kind === 'denied') return denyResult(fleet, queued, current, checked.problem);
  if (checked.kind === 'refused') return refuseApproval(fleet, queued, current, checked.refused);
  const tip = await prepareBase(fleet, queued.branch, read.others);
  const outcome = await mergeOnto(fleet, queued, current.record, tip, signal);
  if (outcome.kind === 'interrupted') return undefined;
  if (outcome.kind !== 'merged') return sendBack(fleet, queued, { current, tip, outcome });
  const first = landingOf(fleet, queued, { current, checked, before: tip, after: outcome.commit });
  const landings: [PreparedLanding, ...PreparedLanding[]] = [first];
  const leases = [lease];
  for (const follower of followers) {
    const before = landings.at(-1)?.after ?? tip;
    const next = await landAfter(fleet, follower.queued, { read, trust, before, signal });
    if (next === undefined) continue;
    landings.push(next);
    leases.push(follower);
  }
  const stored = await promoteItems(fleet, landings, read.ledger);
  for (const { record } of stored ?? [])
    if (record.commit !== undefined)
      fleet.report(`${record.item_id}: promoted as ${record.commit.slice(0, 10)}`);
  return stored && new Map(stored.map((each, index) => [leases[index] as Lease, each]));
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
