import { describe, expect, it } from 'vitest';
import type { ItemRecord, ItemStep } from './item-record.ts';
import { planClaim } from './plan-claim.ts';

function recordAt(step: ItemStep, round: number, retry: number): ItemRecord {
  const common = { version: 1, job_id: 'job_1', item_id: 'a', attempt: 1, by: 'w', at: '' } as const;
  return { ...common, step, fence: { round, retry } };
}

describe('the claim of an item', () => {
  it('is made for an item that no worker has claimed', () => {
    expect(planClaim(undefined, { round: 0, retry: 0 })).toBe('claim');
  });

  it('is taken over only by a later attempt', () => {
    expect(planClaim(recordAt('claimed', 0, 0), { round: 0, retry: 1 })).toBe('claim');
    expect(planClaim(recordAt('claimed', 0, 1), { round: 0, retry: 0 })).toBe('stale');
    // A worker that was stopped before it claimed the item, and continued after another worker had claimed it.
    expect(planClaim(recordAt('claimed', 0, 1), { round: 0, retry: 1 })).toBe('stale');
    expect(planClaim(recordAt('claimed', 1, 0), { round: 0, retry: 9 })).toBe('stale');
  });

  it('is not needed for a result that is there', () => {
    for (const step of ['result', 'waiting', 'promoted', 'ended'] as const)
      expect(planClaim(recordAt(step, 0, 0), { round: 0, retry: 1 }), step).toBe('done');
  });

  it('is made again in the round after an item was sent back or cancelled, and only then', () => {
    for (const step of ['requeued', 'cancelled'] as const) {
      expect(planClaim(recordAt(step, 0, 2), { round: 1, retry: 0 }), step).toBe('claim');
      expect(planClaim(recordAt(step, 0, 2), { round: 0, retry: 3 }), step).toBe('stale');
    }
    expect(planClaim(recordAt('result', 0, 0), { round: 1, retry: 0 })).toBe('stale');
  });
});
