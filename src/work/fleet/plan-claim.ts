import type { Fence, ItemRecord } from './item-record.ts';

/**
 * What a worker does with an item that the queue gave it: run it; leave it, because its result is there already; or drop it, because
 * another worker has a later attempt at it.
 */
export type ClaimDecision = 'claim' | 'done' | 'stale';

/** Decides by the ref of the item, not by the queue: a worker that was stopped for a while holds an old entry of the queue. */
export function planClaim(current: ItemRecord | undefined, fence: Fence): ClaimDecision {
  if (current === undefined) return 'claim';
  const { step, fence: held } = current;
  if (step === 'promoted' || step === 'ended') return 'done';
  if (held.round > fence.round) return 'stale';
  const isEarlierRound = held.round < fence.round;
  if (step === 'requeued' || step === 'cancelled') return isEarlierRound ? 'claim' : 'stale';
  if (step === 'claimed') return isEarlierRound || held.retry < fence.retry ? 'claim' : 'stale';
  return isEarlierRound ? 'stale' : 'done';
}
