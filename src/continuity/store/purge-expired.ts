import { archiveEvents, lastArchived } from '../database/queries/events.ts';
import { deleteOldRequests } from '../database/queries/requests.ts';
import { STORE_LIMITS } from '../store-limits.ts';
import { deleteExpiredMemories } from '../memory/write-memory.ts';
import { scopeForDeletion } from '../store-clock.ts';
import type { Scope } from '../scope.ts';

export interface PurgeOptions {
  readonly limit: number;
  /** Data written before this time is not deleted. */
  readonly since?: string;
  readonly archiveAfterMs?: number;
  readonly requestRetentionMs?: number;
}

export interface PurgeResult {
  readonly eventId: string;
  readonly memories: number;
  readonly requests: number;
  readonly events: number;
}

/** Deletes expired memories and the stored answers of old requests, and archives old events, each up to the limit. */
export async function purgeExpired(scope: Scope, options: PurgeOptions): Promise<PurgeResult> {
  const { limit, since = '' } = options;
  const { at, nowMs } = await scopeForDeletion(scope);
  const before = (ageMs: number): string => new Date(nowMs - ageMs).toISOString();
  const { eventId, deleted } = await deleteExpiredMemories(scope, { limit, since, at });
  const requests = await scope.db.run(deleteOldRequests, {
    since,
    before: before(options.requestRetentionMs ?? STORE_LIMITS.requestRetentionMs),
    limit,
  });
  const last = await scope.db.first(lastArchived, {});
  const events = await scope.db.run(archiveEvents, {
    after: last?.id ?? 0,
    before: before(options.archiveAfterMs ?? STORE_LIMITS.archiveAfterMs),
    at: scope.at,
    limit,
  });
  return { eventId, memories: deleted, requests, events };
}
