import type { PgBoss } from 'pg-boss';
import { readQueues, type CountedQueue, type QueueStatements } from './pg-boss-entries.ts';

/** A process that supervises reads the queues this often anyway. */
const CACHE_MS = 2500;

/** The queues in the database. */
export interface QueueList {
  /** As they were a few seconds ago. */
  readonly recent: () => Promise<readonly CountedQueue[]>;
  readonly read: () => Promise<readonly CountedQueue[]>;
}

export function createQueueList(
  boss: PgBoss,
  statements: QueueStatements,
  superviseSeconds: number,
): QueueList {
  let listed: { readonly until: number; readonly queues: Promise<readonly CountedQueue[]> } | undefined;
  const read = (): Promise<readonly CountedQueue[]> => {
    const queues = readQueues(boss, statements, superviseSeconds);
    listed = { until: performance.now() + CACHE_MS, queues };
    queues.catch(() => (listed = undefined));
    return queues;
  };
  return {
    read,
    recent: async () => (listed !== undefined && performance.now() < listed.until ? listed.queues : read()),
  };
}
