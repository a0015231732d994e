import { PgBoss, type ConstructorOptions, type Job } from 'pg-boss';
import { Fault } from '../../base/fault.ts';
import { entryId } from './entry-id.ts';
import type { PgBossCall } from './pg-boss-call.ts';
import { createCosts } from './pg-boss-costs.ts';
import { createDocuments } from './pg-boss-documents.ts';
import { readOpenJobs, type QueueStatements } from './pg-boss-entries.ts';
import { createQueueList, type QueueList } from './pg-boss-queue-list.ts';
import { createRegister, WORKERS } from './pg-boss-register.ts';
import { announceReady, listenForReady } from './pg-boss-ready.ts';
import { releaseDependents } from './pg-boss-release.ts';
import { canTake, itemQueue, landingQueue } from './queue-names.ts';
import type { Lease, QueuedItem, QueueLimits, WorkQueue } from './work-queue.ts';

export interface PgBossOptions {
  /** The queue closes them. */
  readonly connections: NonNullable<ConstructorOptions['db']> & {
    readonly subscribe: (channel: string, onMessage: (message: string) => void) => () => void;
    readonly close: () => Promise<void>;
  };
  /** The schema of the queue's tables. */
  readonly schema: string;
  readonly queueStatements: QueueStatements;
  /** Converts an error of the database to a fault. */
  readonly toFault: (error: unknown) => unknown;
}

/** The lowest that pg-boss accepts. */
const HEARTBEAT_SECONDS = 10;
/** The end of an item is decided by its heartbeat and its own timeout, not by the queue. */
const EXPIRE_SECONDS = 86_000;
/** The database never drops an entry, no matter how often it was returned: the remote may be unreachable for days, and a person may decide late. */
const RETRY_LIMIT = 1_000_000_000;
/** The longest that pg-boss keeps an entry that waits. */
const KEPT_SECONDS = 365 * 86_400;
/** Ended entries are deleted early: the refs of the items record what happened, and a small table keeps each supervision pass cheap. */
const ENDED_SECONDS = 86_400;
/** A landing that is not ready, because its item runs again or waits for a person, is polled with an increasing delay. */
const LANDING_DELAY = { retryDelay: 1, retryBackoff: true, retryDelayMax: 10 };
const SUPERVISE_SECONDS = 2;
const MAINTENANCE_SECONDS = 600;

const ITEM_OPTIONS = {
  heartbeatSeconds: HEARTBEAT_SECONDS,
  expireInSeconds: EXPIRE_SECONDS,
  retryLimit: RETRY_LIMIT,
  retentionSeconds: KEPT_SECONDS,
  deleteAfterSeconds: ENDED_SECONDS,
};
const LANDING_OPTIONS = { ...ITEM_OPTIONS, ...LANDING_DELAY };

/** The queue on pg-boss, in the database of the store. */
export async function openPgBossQueue(options: PgBossOptions): Promise<WorkQueue> {
  const boss = new PgBoss({
    db: options.connections,
    schema: options.schema,
    // The timer of pg-boss has the same interval in each process, so a thousand processes would make a thousand supervision passes.
    supervise: false,
    schedule: false,
    // A pass looks at every queue, so all processes together make only one in this time.
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
    monitorVacuum: false,
    reindex: false,
  });
  // Errors of its own timers; the next call reports the same one.
  boss.on('error', () => undefined);
  const call = async <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      throw options.toFault(error);
    });
  const close = async (): Promise<void> => {
    await boss.stop({ graceful: false, close: false });
    await options.connections.close();
  };
  try {
    await call(() => boss.start());
  } catch (error) {
    await options.connections.close();
    throw error;
  }
  return { ...createQueue({ ...options, boss, call }), close: () => call(close) };
}

interface Engine extends Pick<PgBossOptions, 'schema' | 'connections' | 'queueStatements'> {
  readonly boss: PgBoss;
  readonly call: PgBossCall;
}

function createQueue(engine: Engine): Omit<WorkQueue, 'close'> {
  const { boss, call, queueStatements: statements } = engine;
  const known = new Set<string>();
  /** Contract: idempotent; pg-boss leaves an existing queue alone. */
  const ensure = async (name: string): Promise<string> => {
    if (!known.has(name)) await boss.createQueue(name);
    known.add(name);
    return name;
  };
  const entries = { boss, call, ensure, statements };
  const list = createQueueList(boss, statements, SUPERVISE_SECONDS);
  return {
    add: (queue, items) =>
      call(async () => {
        await ensure(landingQueue(queue));
        for (const { item } of items) await ensure(itemQueue(queue, item.requires));
        const [first] = items;
        if (first !== undefined && (await isAdded(boss, queue, first))) return;
        await boss.flow(items.flatMap((item) => entriesOf(queue, item, items)));
        await announceReady(engine, queue);
      }),
    addAgain: (queue, item) =>
      call(async () => {
        const name = await ensure(itemQueue(queue, item.item.requires));
        const [entry] = entriesOf(queue, item, []);
        await boss.insert(name, [{ ...entry?.options, data: item }]);
        await announceReady(engine, queue);
      }),
    takeItem: (queue, labels, limits) =>
      call(async () => {
        await ensure(queue);
        const names = (await list.recent())
          .map(({ name }) => name)
          .filter((name) => canTake(name, queue, labels));
        // The queue of items without requirements comes last, because every worker can run those.
        for (const name of [...names.filter((each) => each !== queue), queue]) {
          const lease = await take(engine, name, limits, landingQueue(queue));
          if (lease !== undefined) return lease;
        }
        return undefined;
      }),
    takeLandings: (queue, most) =>
      call(async () => {
        const name = await ensure(landingQueue(queue));
        const jobs = await boss.fetch<QueuedItem>(name, { batchSize: most });
        return jobs
          .toSorted((left, right) => left.data.order - right.data.order)
          .map((job) => leaseOf(engine, name, job, queue));
      }),
    onReady: (queue, role, listener) =>
      listenForReady(engine, role === 'worker' ? queue : landingQueue(queue), listener),
    cancel: (queue, jobId) => call(() => cancelEntries(boss, queue, jobId)),
    openJobs: () => call(() => readOpenJobs(boss, statements)),
    supervise: () => call(() => superviseIfDue(boss, list)),
    ...createRegister(entries),
    ...createCosts(entries),
    countWorkers: () =>
      call(async () => (await list.recent()).find(({ name }) => name === WORKERS)?.entries ?? 0),
    documents: createDocuments(entries),
  };
}

const OPEN: ReadonlySet<string> = new Set(['created', 'retry', 'active']);

/** Returns the items that workers have taken. That is read after the open entries are cancelled, when no worker can take another one. */
async function cancelEntries(boss: PgBoss, queue: string, jobId: string): Promise<readonly string[]> {
  const find = (name: string) => boss.findJobs<QueuedItem>(name, { data: { jobId } });
  const taken = new Set<string>();
  for (const { name } of await boss.getQueues()) {
    const isLanding = name === landingQueue(queue);
    if (!isLanding && name !== queue && !name.startsWith(`${queue}.`)) continue;
    const open = (await find(name)).filter(({ state }) => OPEN.has(state));
    if (open.length > 0)
      await boss.cancel(
        name,
        open.map(({ id }) => id),
      );
    if (isLanding) continue;
    // `startedOn` is null for an entry that no process has taken, although its type excludes null.
    for (const { state, startedOn, data } of await find(name))
      if (state !== 'completed' && Boolean(startedOn)) taken.add(data.item.id);
  }
  return [...taken];
}

/** First reads whether a pass is due: a pass takes five statements even if another process has just made one. */
async function superviseIfDue(boss: PgBoss, list: QueueList): Promise<void> {
  if (!(await list.read()).some(({ due }) => due)) return;
  await boss.resolveFlow();
  await boss.supervise();
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
  engine: Engine,
  name: string,
  { concurrency }: QueueLimits,
  next: string,
): Promise<Lease | undefined> {
  const [job] = await engine.boss.fetch<QueuedItem>(name, {
    batchSize: 1,
    ...(concurrency !== undefined && { groupConcurrency: concurrency }),
  });
  return job && leaseOf(engine, name, job, next);
}

/** Every call is bound to the attempt: it does nothing once another process has the entry. `next` is the queue of the entries that wait for it. */
function leaseOf({ boss, call, schema }: Engine, name: string, job: Job<QueuedItem>, next: string): Lease {
  const attempt = { id: job.id, retryCount: job.retryCount };
  return {
    queued: job.data,
    retry: job.retryCount,
    beat: () => call(async () => affected(await boss.touch(name, attempt)) > 0),
    done: () =>
      call(async () => {
        await boss.complete(name, attempt);
        await releaseDependents(boss, schema, { queue: name, next });
      }),
    returnToQueue: () => call(async () => void (await boss.fail(name, attempt))),
  };
}

function affected(response: object): number {
  return 'affected' in response && typeof response.affected === 'number' ? response.affected : 0;
}

/** The fault for a queue without a database. */
export function needsSharedStore(): Fault {
  return new Fault('E_CONFIG', 'A queue needs a store on Postgres; the store of this home is a file.', {
    hint: 'Set one up: deed store use postgres://… (docs/shared-store.md).',
    details: { setting: 'store.url' },
  });
}
