import { archiveEvents, lastArchived } from '../database/queries/events.ts';
import { deleteOldRequests } from '../database/queries/requests.ts';
import { STORE_LIMITS } from '../store-limits.ts';
import { collectMemory } from '../memory/write-memory.ts';
import type { Scope } from '../scope.ts';

export interface PurgeOptions {
  readonly limit: number;
  /** What was written earlier is not deleted. */
  readonly since?: string;
  readonly archiveAfterMs?: number;
  readonly requestRetentionMs?: number;
}

export interface Purged {
  readonly eventId: number;
  readonly memories: number;
  readonly requests: number;
  readonly events: number;
}

/** Removes expired memories and answers nobody will ask for again, and sets old events aside; each bounded by the limit. */
export async function purgeExpired(scope: Scope, options: PurgeOptions): Promise<Purged> {
  const { limit, since = '' } = options;
  const before = (ageMs: number): string => new Date(scope.nowMs - ageMs).toISOString();
  const { eventId, deleted } = await collectMemory(scope, { limit, since });
  const requests = await scope.session.run(deleteOldRequests, {
    since,
    before: before(options.requestRetentionMs ?? STORE_LIMITS.requestRetentionMs),
    limit,
  });
  const last = await scope.session.first(lastArchived, {});
  const events = await scope.session.run(archiveEvents, {
    after: last?.id ?? 0,
    before: before(options.archiveAfterMs ?? STORE_LIMITS.archiveAfterMs),
    at: scope.at,
    limit,
  });
  return { eventId, memories: deleted, requests, events };
}
