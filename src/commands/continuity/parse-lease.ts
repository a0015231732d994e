import { Fault } from '../../base/fault.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import { parseDuration } from '../../continuity/memory/duration.ts';

/** Parses a lease; undefined if none is passed. */
export function parseLease(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const leaseMs = parseDuration(text, 'lease');
  if (leaseMs <= STORE_LIMITS.maxLeaseMs) return leaseMs;
  throw new Fault('E_VALIDATION', `A lease of ${text} is too long.`, {
    hint: 'Use at most 24h, and renew the claim with "task heartbeat" or a push about the task.',
    details: { field: 'lease', max: '24h' },
  });
}
