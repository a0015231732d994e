import type { Database, QueryRunner } from '../database/database.ts';
import { deleteMemory, listExpired } from '../database/queries/memories.ts';
import { lastArchived } from '../database/queries/events.ts';
import {
  countDeletableEvents,
  countOldRequests,
  deleteEvent,
  listOldEvents,
  listOldVersions,
} from '../database/queries/retention.ts';
import { readStoreClock } from '../store-clock.ts';
import { createScope, type StorePorts } from '../scope.ts';
import { STORE_LIMITS } from '../store-limits.ts';
import { purgeExpired } from './purge-expired.ts';

/** What a store keeps. */
export interface StoreRetention {
  /** Archived events are deleted after this time. */
  readonly eventsMs: number;
  /** The number of superseded versions of a memory that are kept. */
  readonly versions: number;
  /** Data written before this time is not deleted. */
  readonly since: string;
}

/** Numbers of rows. */
export interface OldRows {
  readonly events: number;
  readonly versions: number;
  readonly expired: number;
  readonly requests: number;
}

/** One transaction deletes this many rows, so that other processes do not wait long. */
const BATCH_ROWS = 2000;
const MAX_ROWS = 1_000_000;
const FORGOTTEN_MS = 365 * 24 * 60 * 60_000;

/** Counts what `removeOld` would delete, with the events that it archives first. */
export async function countOld(db: QueryRunner, retention: StoreRetention, nowMs: number): Promise<OldRows> {
  const { since } = retention;
  // The time that `scopeForDeletion` uses too.
  const { certainMs } = await readStoreClock({ db, nowMs });
  const requests = await db.first(countOldRequests, {
    since,
    before: timeBefore(certainMs, STORE_LIMITS.requestRetentionMs),
  });
  const events = await db.first(countDeletableEvents, {
    since,
    before: timeBefore(nowMs, retention.eventsMs),
    after: (await db.first(lastArchived, {}))?.id ?? 0,
    archive_before: timeBefore(certainMs, STORE_LIMITS.archiveAfterMs),
  });
  const at = new Date(certainMs).toISOString();
  return {
    events: events?.total ?? 0,
    versions: (await oldVersions(db, retention, nowMs, MAX_ROWS)).length,
    expired: (await db.all(listExpired, { since, at, limit: MAX_ROWS })).length,
    requests: requests?.total ?? 0,
  };
}

/** Archives old events, and deletes what exceeds its retention, in short transactions. */
export async function removeOld(
  database: Database,
  retention: StoreRetention,
  { agent, ports }: { readonly agent: string; readonly ports: StorePorts },
): Promise<OldRows> {
  const removed = { events: 0, versions: 0, expired: 0, requests: 0 };
  const nowMs = ports.now();
  // First, because an expired memory counts as a version of its key.
  const versions = await oldVersions(database, retention, nowMs, MAX_ROWS);
  for (;;) {
    const { memories, requests, events } = await database.transaction((db) =>
      purgeExpired(createScope(db, agent, ports), { limit: BATCH_ROWS, since: retention.since }),
    );
    removed.expired += memories;
    removed.requests += requests;
    if (Math.max(memories, requests, events) < BATCH_ROWS) break;
  }
  for (;;) {
    const rows = await database.transaction((db) => removeEvents(db, retention, nowMs));
    removed.events += rows;
    if (rows < BATCH_ROWS) break;
  }
  for (let start = 0; start < versions.length; start += BATCH_ROWS) {
    await database.transaction(async (db) => {
      for (const { id } of versions.slice(start, start + BATCH_ROWS))
        removed.versions += await db.run(deleteMemory, { id });
    });
  }
  return removed;
}

/** Deletes up to one batch of archived events. */
async function removeEvents(db: QueryRunner, retention: StoreRetention, nowMs: number): Promise<number> {
  const old = await oldEvents(db, retention, nowMs, BATCH_ROWS);
  for (const { id } of old) await db.run(deleteEvent, { id });
  return old.length;
}

function oldEvents(
  db: QueryRunner,
  { eventsMs, since }: StoreRetention,
  nowMs: number,
  limit: number,
): Promise<{ id: number }[]> {
  return db.all(listOldEvents, { since, before: timeBefore(nowMs, eventsMs), limit });
}

function oldVersions(
  db: QueryRunner,
  { versions, since }: StoreRetention,
  nowMs: number,
  limit: number,
): Promise<{ id: number }[]> {
  const values = { keep: versions + 1, since, forgotten_before: timeBefore(nowMs, FORGOTTEN_MS), limit };
  return db.all(listOldVersions, values);
}

function timeBefore(nowMs: number, ageMs: number): string {
  return new Date(nowMs - ageMs).toISOString();
}
