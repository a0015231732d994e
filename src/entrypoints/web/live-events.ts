import { createChangeFeed, type Changes } from '../../app/change-feed.ts';
import type { WebHost } from './web-host.ts';

/** What a client gets next: changes, or the advice to read everything again. */
export type LiveEvent = { readonly type: 'changes'; readonly changes: Changes } | { readonly type: 'resync' };

/** The queue of one client. */
export interface LiveQueue {
  /** Resolves with the next event, or with undefined after the time. */
  readonly next: (waitMs: number) => Promise<LiveEvent | undefined>;
  readonly close: () => void;
}

export interface LiveEvents {
  /** Undefined when there are too many clients. */
  readonly subscribe: () => LiveQueue | undefined;
}

export const MAX_CLIENTS = 200;
/** A client that reads slower than this many changes reads everything again instead. */
const MAX_PENDING = 500;

/** Distributes changes to the clients. They are only looked for while a client listens. */
export function createLiveEvents(host: WebHost): LiveEvents {
  const queues = new Set<ChangeQueue>();
  const feed = createChangeFeed(host, (changes) => {
    for (const queue of queues) queue.add(changes);
  });
  return {
    subscribe: () => {
      if (queues.size >= MAX_CLIENTS) return undefined;
      const queue = createQueue();
      queues.add(queue);
      void feed.start();
      return {
        next: queue.next,
        close: () => {
          queues.delete(queue);
          queue.wake();
          if (queues.size === 0) feed.stop();
        },
      };
    },
  };
}

interface ChangeQueue extends Pick<LiveQueue, 'next'> {
  readonly add: (changes: Changes) => void;
  /** Ends the wait for the next event. */
  readonly wake: () => void;
}

/** A queue that merges changes until they are read, so its size is bounded. */
export function createQueue(): ChangeQueue {
  let pending = emptyChanges();
  let isOverfull = false;
  let wake: () => void = () => undefined;
  const take = (): LiveEvent | undefined => {
    const [changes, resync] = [pending, isOverfull];
    [pending, isOverfull] = [emptyChanges(), false];
    if (resync) return { type: 'resync' };
    return sizeOf(changes) === 0 ? undefined : { type: 'changes', changes };
  };
  return {
    add: (changes) => {
      if (!isOverfull) pending = merge(pending, changes);
      if (sizeOf(pending) > MAX_PENDING) [pending, isOverfull] = [emptyChanges(), true];
      wake();
    },
    wake: () => wake(),
    next: async (waitMs) => {
      const event = take();
      if (event !== undefined) return event;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      return take();
    },
  };
}

function emptyChanges(): Changes {
  return { tasks: [], events: [], runs: [], jobs: [], sessions: [] };
}

function merge(left: Changes, right: Changes): Changes {
  const both = (kind: keyof Changes): readonly string[] => [...new Set([...left[kind], ...right[kind]])];
  return {
    tasks: both('tasks'),
    events: both('events'),
    runs: both('runs'),
    jobs: both('jobs'),
    sessions: both('sessions'),
  };
}

function sizeOf(changes: Changes): number {
  return Object.values(changes).reduce((sum, ids: readonly string[]) => sum + ids.length, 0);
}
