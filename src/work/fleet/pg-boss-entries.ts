import type { PgBoss } from 'pg-boss';
import type { PgBossCall } from './pg-boss-call.ts';
import type { SharedDocument } from './shared-documents.ts';
import type { WorkQueue } from './work-queue.ts';

/** SQL statements in the dialect of the queue's database. They use the clock of its server. */
export interface QueueStatements {
  /** Selects `day`, the day (UTC). */
  readonly today: string;
  /** Selects `usd`, the sum of the entries of a queue ($1) whose key starts with the day and a text ($2). */
  readonly sumOfToday: string;
  /** Selects `data`, `start_after` and `now` of the entries of a queue ($1) that have not expired, all or those with a key ($2). */
  readonly unexpired: string;
  /** Selects `jobs`, the jobs of the items whose entries are not done, and `now`. */
  readonly openJobs: string;
  /** Selects for every queue `name`, `entries` (how many wait in it) and `due` (whether no process has supervised it for $1 seconds). */
  readonly queues: string;
}

/** What the parts of the queue are made from. */
export interface EntryOptions {
  readonly boss: PgBoss;
  readonly call: PgBossCall;
  readonly ensure: (name: string) => Promise<string>;
  readonly statements: QueueStatements;
}

const DELAY_SECONDS = 1;

/** pg-boss keeps an entry for a time after its start, so the start is set with each write: the entry expires that time after its last write. */
export const STARTS_AT_WRITE = { startAfter: DELAY_SECONDS };

/** Writes an entry that no process takes, or replaces it. `expected` only decides which of the two is tried first. */
export async function putEntry(
  boss: PgBoss,
  queue: string,
  data: object,
  {
    id,
    key,
    keepSeconds,
    expected,
  }: {
    readonly id: string;
    readonly key: string;
    readonly keepSeconds: number;
    readonly expected: 'new' | 'stored';
  },
): Promise<void> {
  const options = { id, retentionSeconds: keepSeconds, ...STARTS_AT_WRITE };
  if (expected === 'stored' && (await boss.update(queue, data, options)).updated > 0) return;
  // It may exist, or another process may have inserted it meanwhile; then nothing is inserted here.
  const inserted = await boss.insert(queue, [{ ...options, singletonKey: key, data }], { returnId: true });
  if (inserted === null || inserted.length === 0) await boss.update(queue, data, options);
}

/** Reads entries that have not expired, with their age by the clock of the database, because the clock of this host may be wrong. */
export async function readUnexpired(
  boss: PgBoss,
  { unexpired }: Pick<QueueStatements, 'unexpired'>,
  queue: string,
  key?: string,
): Promise<readonly SharedDocument[]> {
  const { rows } = await boss.getDb().executeSql(unexpired, [queue, key ?? null]);
  return (rows as { data: unknown; start_after: Date; now: Date }[]).map(({ data, start_after, now }) => {
    const writtenMs = start_after.getTime() - DELAY_SECONDS * 1000;
    return { value: data, at: new Date(writtenMs).toISOString(), ageMs: now.getTime() - writtenMs };
  });
}

/** A queue as the library last counted it. */
export interface CountedQueue {
  readonly name: string;
  readonly entries: number;
  /** Whether no process has supervised it lately. */
  readonly due: boolean;
}

export async function readQueues(
  boss: PgBoss,
  { queues }: Pick<QueueStatements, 'queues'>,
  superviseSeconds: number,
): Promise<readonly CountedQueue[]> {
  const { rows } = await boss.getDb().executeSql(queues, [superviseSeconds]);
  return rows as CountedQueue[];
}

export async function readOpenJobs(
  boss: PgBoss,
  { openJobs }: Pick<QueueStatements, 'openJobs'>,
): ReturnType<WorkQueue['openJobs']> {
  const { rows } = await boss.getDb().executeSql(openJobs, []);
  const [{ now, jobs }] = rows as [{ now: Date; jobs: string[] }];
  return { nowMs: now.getTime(), jobIds: new Set(jobs) };
}
