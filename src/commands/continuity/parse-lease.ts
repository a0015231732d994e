import { Fault } from '../../base/fault.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import { parseDuration } from '../../continuity/memory/duration.ts';

/** Reads a lease; nothing when none is given. */
export function parseLease(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const leaseMs = parseDuration(text, 'lease');
  if (leaseMs <= STORE_LIMITS.maxLeaseMs) return leaseMs;
  throw new Fault('E_VALIDATION', `A lease of ${text} is too long.`, {
    hint: 'A lease may last 24h; renew it with "task heartbeat" or any push about the task.',
    details: { field: 'lease', max: '24h' },
  });
}
