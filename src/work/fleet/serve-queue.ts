import { errorMessage } from '../../base/error-message.ts';
import { sleep } from '../../base/sleep.ts';
import type { Fleet } from './fleet.ts';
import type { Lease, WorkerInfo } from './work-queue.ts';

/** What a worker or an integrator does with the queue. */
export interface QueueService {
  readonly take: () => Promise<Lease | undefined>;
  /** Contract: the signal aborts when the entry is lost. */
  readonly handle: (lease: Lease, signal: AbortSignal) => Promise<void>;
  readonly info: Omit<WorkerInfo, 'running' | 'items' | 'draining' | 'seenAt'>;
  /** Aborts to drain: entries that are held are finished, and no others are taken. */
  readonly drain: AbortSignal;
}

const BEAT_MS = 3000;
const IDLE_MS = 500;
/** After a problem with the database or the remote. */
const PAUSE_MS = 2000;
const ANNOUNCE_MS = 5000;

/** Takes entries until it is drained, at most `info.jobs` at a time. Returns how many it handled. */
export async function serveQueue(fleet: Fleet, service: QueueService): Promise<number> {
  const running = new Map<string, Promise<void>>();
  const drain = new AbortController();
  service.drain.addEventListener('abort', () => drain.abort(), { once: true });
  if (service.drain.aborted) drain.abort();
  let handled = 0;
  const announcing = announce(fleet, service, { running, drain });
  while (!drain.signal.aborted) {
    const lease = running.size < service.info.jobs ? await tryTake(fleet, service) : undefined;
    if (lease === undefined) {
      await Promise.race([sleep(IDLE_MS, drain.signal), ...running.values()]);
      continue;
    }
    const name = `${lease.queued.jobId}/${lease.queued.item.id}`;
    handled += 1;
    const work = keepWhile(fleet, lease, service.handle).finally(() => running.delete(name));
    running.set(name, work);
  }
  await Promise.all(running.values());
  await announcing;
  return handled;
}

async function tryTake(fleet: Fleet, { take }: QueueService): Promise<Lease | undefined> {
  try {
    return await take();
  } catch (error) {
    fleet.report(`cannot read the queue: ${errorMessage(error)}`);
    await sleep(PAUSE_MS);
    return undefined;
  }
}

/** Handles an entry and keeps it meanwhile, from its first moment on. A handler that fails returns it to the queue. */
async function keepWhile(fleet: Fleet, lease: Lease, handle: QueueService['handle']): Promise<void> {
  const lost = new AbortController();
  let isBeating = false;
  const beat = async (): Promise<void> => {
    if (isBeating) return;
    isBeating = true;
    try {
      if (!(await lease.beat())) lost.abort();
    } catch {
      // Without the database nothing can be taken over; the item continues, and its ref decides in the end.
    } finally {
      isBeating = false;
    }
  };
  const timer = setInterval(() => void beat(), BEAT_MS);
  try {
    await handle(lease, lost.signal);
  } catch (error) {
    fleet.report(`${lease.queued.item.id}: ${errorMessage(error)}`);
    await sleep(PAUSE_MS);
    await lease.giveBack().catch((problem: unknown) => fleet.report(errorMessage(problem)));
  } finally {
    clearInterval(timer);
  }
}

/** Shows this process to others while it runs, and reads whether it was asked to drain. */
async function announce(
  { queue, report, work, activity }: Fleet,
  { info }: QueueService,
  { running, drain }: { readonly running: ReadonlyMap<string, unknown>; readonly drain: AbortController },
): Promise<void> {
  for (let isLast = false; !isLast;) {
    isLast = drain.signal.aborted && running.size === 0;
    try {
      if (isLast) return await queue.withdraw(info.id);
      const seenAt = new Date(work.clock.now()).toISOString();
      await queue.announce({
        ...info,
        running: [...running.keys()],
        items: activity.list(),
        draining: drain.signal.aborted,
        seenAt,
      });
      if (!drain.signal.aborted && (await queue.isAskedToDrain(info.id))) drain.abort();
    } catch (error) {
      report(`cannot announce this ${info.role}: ${errorMessage(error)}`);
    }
    await (drain.signal.aborted ? sleep(IDLE_MS) : sleep(ANNOUNCE_MS, drain.signal));
  }
  return undefined;
}
