import { PgBoss, type ConstructorOptions, type Job } from 'pg-boss';
import { Fault } from '../../base/fault.ts';
import { entryId } from './entry-id.ts';
import { createDocuments, unexpired } from './pg-boss-documents.ts';
import { canTake, itemQueue, landingQueue } from './queue-names.ts';
import type { Lease, QueuedItem, QueueLimits, WorkerInfo, WorkQueue } from './work-queue.ts';

export interface PgBossOptions {
  readonly connection: ConstructorOptions;
  /** The schema of the queue's tables. */
  readonly schema: string;
  /** Whether this process looks for entries whose holder is dead; workers do. */
  readonly supervise: boolean;
  /** Converts an error of the database to a fault. */
  readonly toFault: (error: unknown) => unknown;
}

const WORKERS = 'deed.workers';
const DRAINS = 'deed.drains';
/** The lowest that pg-boss accepts. */
const HEARTBEAT_SECONDS = 10;
/** The end of an item is decided by its heartbeat and its own timeout, not by the queue. */
const EXPIRE_SECONDS = 86_000;
/** How often an entry changes hands before the database gives up; workers give up much earlier. */
const RETRY_LIMIT = 1000;
/** A landing that is not ready, because its item runs again or waits for a person, is looked at again after this time. */
const LANDING_DELAY_SECONDS = 2;
const ANNOUNCED_SECONDS = 60;
const QUEUE_CACHE_MS = 2000;

const ITEM_OPTIONS = {
  heartbeatSeconds: HEARTBEAT_SECONDS,
  expireInSeconds: EXPIRE_SECONDS,
  retryLimit: RETRY_LIMIT,
};
const LANDING_OPTIONS = { ...ITEM_OPTIONS, retryDelay: LANDING_DELAY_SECONDS };

/** The queue on pg-boss, in the database of the store. */
export async function openPgBossQueue(options: PgBossOptions): Promise<WorkQueue> {
  const boss = new PgBoss({
    ...options.connection,
    schema: options.schema,
    supervise: options.supervise,
    schedule: false,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    monitorVacuum: false,
    reindex: false,
  });
  // Errors of its own timers; the next call reports the same one.
  boss.on('error', () => undefined);
  const call = async <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      throw options.toFault(error);
    });
  await call(() => boss.start());
  return createQueue(boss, call);
}

type Call = <T>(work: () => Promise<T>) => Promise<T>;

function createQueue(boss: PgBoss, call: Call): WorkQueue {
  const known = new Set<string>();
  /** Contract: idempotent; pg-boss leaves an existing queue alone. */
  const ensure = async (name: string): Promise<string> => {
    if (!known.has(name)) await boss.createQueue(name);
    known.add(name);
    return name;
  };
  const listQueues = cachedFor(QUEUE_CACHE_MS, async () => (await boss.getQueues()).map(({ name }) => name));
  return {
    add: (queue, items) =>
      call(async () => {
        await ensure(landingQueue(queue));
        for (const { item } of items) await ensure(itemQueue(queue, item.requires));
        const [first] = items;
        if (first !== undefined && (await isAdded(boss, queue, first))) return;
        await boss.flow(items.flatMap((item) => entriesOf(queue, item, items)));
      }),
    addAgain: (queue, item) =>
      call(async () => {
        const name = await ensure(itemQueue(queue, item.item.requires));
        const [entry] = entriesOf(queue, item, []);
        await boss.insert(name, [{ ...entry?.options, data: item }]);
      }),
    takeItem: (queue, labels, limits) =>
      call(async () => {
        await ensure(queue);
        const names = (await listQueues()).filter((name) => canTake(name, queue, labels));
        // The queue of items without requirements comes last, because every worker can run those.
        for (const name of [...names.filter((each) => each !== queue), queue]) {
          const lease = await take(boss, call, name, limits);
          if (lease !== undefined) return lease;
        }
        return undefined;
      }),
    takeLanding: (queue) => call(async () => take(boss, call, await ensure(landingQueue(queue)), {})),
    cancel: (queue, jobId) =>
      call(async () => {
        for (const name of (await boss.getQueues()).map((each) => each.name))
          if (name === landingQueue(queue) || name === queue || name.startsWith(`${queue}.`)) {
            const found = await boss.findJobs(name, { data: { jobId } });
            const open = found.filter(({ state }) => ['created', 'retry', 'active'].includes(state));
            if (open.length > 0)
              await boss.cancel(
                name,
                open.map(({ id }) => id),
              );
          }
      }),
    ...createRegister(boss, call, ensure),
    documents: createDocuments(boss, call, ensure),
    close: () => call(() => boss.stop({ graceful: false, close: true })),
  };
}

/** The two entries of an item: its work, and its landing, which other items wait for. */
function entriesOf(queue: string, queued: QueuedItem, all: readonly QueuedItem[]) {
  const { item, jobId, round, order } = queued;
  const priority = -order;
  const group = { id: queue };
  const inJob = new Set(all.map((each) => each.item.id));
  return [
    {
      ref: `work ${item.id}`,
      name: itemQueue(queue, item.requires),
      data: queued,
      options: { ...ITEM_OPTIONS, id: entryId('work', jobId, item.id, round), priority, group },
      dependsOn: item.dependencies.filter((id) => inJob.has(id)).map((id) => `land ${id}`),
    },
    {
      ref: `land ${item.id}`,
      name: landingQueue(queue),
      data: queued,
      options: { ...LANDING_OPTIONS, id: entryId('land', jobId, item.id, round), priority },
      dependsOn: [`work ${item.id}`],
    },
  ];
}

async function isAdded(boss: PgBoss, queue: string, { jobId, item, round }: QueuedItem): Promise<boolean> {
  const id = entryId('work', jobId, item.id, round);
  return (await boss.findJobs(itemQueue(queue, item.requires), { id })).length > 0;
}

async function take(
  boss: PgBoss,
  call: Call,
  name: string,
  { concurrency }: QueueLimits,
): Promise<Lease | undefined> {
  const [job] = await boss.fetch<QueuedItem>(name, {
    batchSize: 1,
    ...(concurrency !== undefined && { groupConcurrency: concurrency }),
  });
  return job && leaseOf(boss, call, name, job);
}

/** Every call is bound to the attempt: it does nothing once another process has the entry. */
function leaseOf(boss: PgBoss, call: Call, name: string, job: Job<QueuedItem>): Lease {
  const attempt = { id: job.id, retryCount: job.retryCount };
  return {
    queued: job.data,
    retry: job.retryCount,
    beat: () => call(async () => affected(await boss.touch(name, attempt)) > 0),
    done: () => call(async () => void (await boss.complete(name, attempt))),
    giveBack: () => call(async () => void (await boss.fail(name, attempt))),
  };
}

function affected(response: object): number {
  return 'affected' in response && typeof response.affected === 'number' ? response.affected : 0;
}

/** Workers are entries that no process takes: they are overwritten while the worker lives, and expire after it. */
function createRegister(
  boss: PgBoss,
  call: Call,
  ensure: (name: string) => Promise<string>,
): Pick<WorkQueue, 'announce' | 'withdraw' | 'workers' | 'askToDrain' | 'isAskedToDrain'> {
  const options = (id: string) => ({
    singletonKey: id,
    // Entries expire this time after they can be taken.
    startAfter: 1,
    retentionSeconds: ANNOUNCED_SECONDS,
  });
  const remove = async (name: string, id: string): Promise<void> => {
    const found = await boss.findJobs(await ensure(name), { key: id });
    for (const job of found) await boss.deleteJob(name, job.id);
  };
  return {
    announce: (worker) =>
      call(async () => {
        await boss.upsert(await ensure(WORKERS), worker, options(worker.id));
      }),
    withdraw: (id) =>
      call(async () => Promise.all([WORKERS, DRAINS].map((name) => remove(name, id))).then(() => undefined)),
    workers: () =>
      call(async () => {
        const found = await boss.findJobs<WorkerInfo>(await ensure(WORKERS), { queued: true });
        return unexpired(found).map(({ data }) => data);
      }),
    askToDrain: (id) =>
      call(async () => {
        await boss.upsert(await ensure(DRAINS), { id }, options(id));
      }),
    isAskedToDrain: (id) =>
      call(async () => (await boss.findJobs(await ensure(DRAINS), { key: id, queued: true })).length > 0),
  };
}

function cachedFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  let until = 0;
  return async () => {
    if (value === undefined || performance.now() > until) {
      until = performance.now() + ms;
      value = read();
      value.catch(() => (value = undefined));
    }
    return value;
  };
}

/** The fault for a queue without a database. */
export function needsSharedStore(): Fault {
  return new Fault('E_CONFIG', 'A queue needs a store on Postgres; the store of this home is a file.', {
    hint: 'Set one up: deed store use postgres://… (docs/shared-store.md).',
    details: { setting: 'store.url' },
  });
}
