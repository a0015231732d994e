import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import { sleep } from '../../base/sleep.ts';
import { releaseAfterCalls } from '../../system/release-memory.ts';
import { describeProblem } from './describe-problem.ts';
import type { Fleet } from './fleet.ts';
import { createHostFailures, type HostFailures } from './host-failures.ts';
import { createQueuePauses } from './queue-pauses.ts';
import type { Lease, WorkerInfo } from './work-queue.ts';

/** What a worker or an integrator does with the queue. */
export interface QueueService {
  /** Takes entries that are handled together; none if the queue has none. */
  readonly take: () => Promise<readonly Lease[]>;
  /** Contract: the signal aborts when one of the entries is lost. */
  readonly handle: (leases: readonly Lease[], signal: AbortSignal) => Promise<void>;
  readonly info: Omit<WorkerInfo, 'running' | 'items' | 'draining' | 'paused'>;
  /** Aborts to drain: entries that are held are finished, and no others are taken. */
  readonly drain: AbortSignal;
}

const BEAT_MS = 3000;
/** After a problem with the database or the remote. */
const PAUSE_MS = 2000;
/** The poll interval of a process is proportional to the number of workers, so that the load on the database stays constant. */
const MS_PER_WORKER = 25;
const IDLE = { leastMs: 250, mostMs: 5000 };
/** A process that was notified of an entry asks earlier. */
const ANNOUNCED = { leastMs: 50, mostMs: 5000 };
/** Results that land together need one push, so an integrator waits for those that are ready next. */
const GATHER_MS = { worker: 0, integrator: 500 };
/** A process that can take nothing else waits for what it runs. */
const FULL_MS = 5000;
/** While a queue stays empty, each pause is longer than the one before it. */
const EMPTY = { factor: 1.5, mostMs: 1000 };
const ANNOUNCE = { leastMs: 2000, mostMs: 5000 };
/** What a process without items says hardly changes. */
const ANNOUNCE_IDLE = { leastMs: 5000, mostMs: 5000 };
const SUPERVISE = { leastMs: 2000, mostMs: 30_000 };

/** What failed last for a reason that other entries have too: the host or the remote. Others see it until an entry succeeds. */
interface CurrentProblem {
  text: string | undefined;
}

/** Takes entries until it is drained, at most `info.jobs` at a time. Returns how many it handled. */
export async function serveQueue(fleet: Fleet, service: QueueService): Promise<number> {
  const running = new Map<string, Promise<void>>();
  const drain = new AbortController();
  service.drain.addEventListener('abort', () => drain.abort(), { once: true });
  if (service.drain.aborted) drain.abort();
  let handled = 0;
  let queries = 0;
  let emptyMs: number = IDLE.leastMs;
  const { queueName, role, jobs } = service.info;
  const pauses = createQueuePauses(drain.signal, GATHER_MS[role]);
  const stopListening = fleet.queue.onReady(queueName, role, pauses.announced);
  const problem: CurrentProblem = { text: undefined };
  const announcing = announce(fleet, service, { running, drain, problem });
  const supervising = supervise(fleet, drain.signal);
  // Querying an empty queue allocates memory too.
  const stopReleasing = releaseAfterCalls(() => queries);
  const hostFailures = createHostFailures();
  while (!drain.signal.aborted) {
    const hostPauseMs = hostFailures.pauseMs();
    if (hostPauseMs > 0) {
      await pauses.whileFull(hostPauseMs);
      continue;
    }
    if (running.size >= jobs) {
      await pauses.whileFull(FULL_MS);
      continue;
    }
    queries += 1;
    pauses.ask();
    const leases = await tryTake(fleet, service);
    if (leases.length === 0) {
      const pauseMs = Math.max(emptyMs, await paceMs(fleet, IDLE));
      emptyMs = Math.min(EMPTY.mostMs, emptyMs * EMPTY.factor);
      await pauses.whileEmpty(pauseMs, await paceMs(fleet, ANNOUNCED));
      continue;
    }
    emptyMs = IDLE.leastMs;
    const names = leases.map(({ queued }) => `${queued.jobId}/${queued.item.id}`);
    handled += leases.length;
    const work = handleHolding(fleet, leases, { handle: service.handle, hostFailures, problem }).finally(
      () => {
        for (const name of names) running.delete(name);
        pauses.itemEnded();
      },
    );
    for (const name of names) running.set(name, work);
  }
  stopListening();
  await Promise.all(running.values());
  await Promise.all([announcing, supervising]);
  stopReleasing();
  await fleet.budget?.flush();
  return handled;
}

async function paceMs(
  { queue }: Fleet,
  { leastMs, mostMs }: { readonly leastMs: number; readonly mostMs: number },
): Promise<number> {
  const workers = await queue.countWorkers().catch(() => 0);
  return Math.min(mostMs, Math.max(leastMs, workers * MS_PER_WORKER));
}

/** Returns the entries of dead processes to the queue at intervals; all processes share this work. */
async function supervise(fleet: Fleet, drain: AbortSignal): Promise<void> {
  while (!drain.aborted) {
    // Without the database there is nothing to return; the next attempt to take an entry reports why.
    await fleet.queue.supervise().catch(() => undefined);
    await sleep(await paceMs(fleet, SUPERVISE), drain);
  }
}

async function tryTake(fleet: Fleet, { take }: QueueService): Promise<readonly Lease[]> {
  try {
    return await take();
  } catch (error) {
    fleet.report(`cannot read the queue: ${errorMessage(error)}`);
    await sleep(PAUSE_MS);
    return [];
  }
}

/** Runs the handler, and renews the leases of its entries while it runs. If it fails, the remaining entries return to the queue. */
async function handleHolding(
  fleet: Fleet,
  leases: readonly Lease[],
  {
    handle,
    hostFailures,
    problem,
  }: Pick<QueueService, 'handle'> & {
    readonly hostFailures: HostFailures;
    readonly problem: CurrentProblem;
  },
): Promise<void> {
  const lost = new AbortController();
  const held = new Set(leases);
  const whileHeld = (lease: Lease): Lease => ({
    ...lease,
    done: async () => {
      await lease.done();
      held.delete(lease);
    },
    returnToQueue: async () => {
      await lease.returnToQueue();
      held.delete(lease);
    },
  });
  let isBeating = false;
  const beat = async (): Promise<void> => {
    if (isBeating) return;
    isBeating = true;
    try {
      for (const lease of held) if (!(await lease.beat()) && held.has(lease)) lost.abort();
    } catch {
      // Without the database nothing can be taken over; the item continues, and its ref decides in the end.
    } finally {
      isBeating = false;
    }
  };
  const timer = setInterval(() => void beat(), BEAT_MS);
  try {
    await handle(leases.map(whileHeld), lost.signal);
    hostFailures.ended();
    problem.text = undefined;
  } catch (error) {
    fleet.report(`${[...held].map(({ queued }) => queued.item.id).join(', ')}: ${errorMessage(error)}`);
    const isOfHost = hostFailures.ended(error);
    if (isOfHost || (error instanceof Fault && error.code === 'E_NETWORK'))
      problem.text = describeProblem(error);
    if (!isOfHost) await sleep(PAUSE_MS);
    for (const lease of held)
      await lease.returnToQueue().catch((problem: unknown) => fleet.report(errorMessage(problem)));
  } finally {
    clearInterval(timer);
  }
}

/** Shows this process to others while it runs, and reads whether it was asked to drain. */
async function announce(
  fleet: Fleet,
  { info }: QueueService,
  {
    running,
    drain,
    problem,
  }: {
    readonly running: ReadonlyMap<string, unknown>;
    readonly drain: AbortController;
    readonly problem: CurrentProblem;
  },
): Promise<void> {
  const { queue, report, budget } = fleet;
  for (let isLast = false; !isLast;) {
    isLast = drain.signal.aborted && running.size === 0;
    try {
      if (isLast) return await queue.withdraw(info.id);
      const state = {
        running: [...running.keys()],
        items: fleet.activity.list(),
        draining: drain.signal.aborted,
      };
      await queue.announce({ ...info, ...state, paused: budget?.paused() ?? problem.text });
      await budget?.flush();
      if (!drain.signal.aborted && (await queue.isAskedToDrain(info.id))) drain.abort();
    } catch (error) {
      report(`cannot announce this ${info.role}: ${errorMessage(error)}`);
    }
    const pace = running.size === 0 ? ANNOUNCE_IDLE : ANNOUNCE;
    await (drain.signal.aborted ? sleep(IDLE.leastMs) : sleep(await paceMs(fleet, pace), drain.signal));
  }
  return undefined;
}
