import { linkAbort } from '../../base/race-abort.ts';
import { sleep } from '../../base/sleep.ts';

/** The pauses of a process that takes entries of a queue. All of them end when the process drains. */
export interface QueuePauses {
  /** Called right before a query of the queue: only later announcements count. */
  readonly ask: () => void;
  /** Waits while the queue has nothing: until an entry is announced, but at least this time after the last query. */
  readonly whileEmpty: (ms: number, leastMs: number) => Promise<void>;
  /** Waits while nothing else can be taken: until an item ends. */
  readonly whileFull: (ms: number) => Promise<void>;
  readonly announced: () => void;
  readonly itemEnded: () => void;
}

/**
 * Creates the pauses. After an announcement, the process waits a little for further ones.
 *
 * A race with the items would add a handler to each of them every time, and they may run for hours.
 */
export function createQueuePauses(drain: AbortSignal, gatherMs: number): QueuePauses {
  let askedAtMs = 0;
  let isAnnounced = false;
  let endEmpty = (): void => undefined;
  let endFull = (): void => undefined;
  const pause = async (ms: number, setEnd: (end: () => void) => void): Promise<void> => {
    const ending = new AbortController();
    setEnd(() => ending.abort());
    const unlink = linkAbort(drain, ending);
    await sleep(ms, ending.signal);
    unlink();
  };
  return {
    ask: () => {
      askedAtMs = performance.now();
      isAnnounced = false;
    },
    whileEmpty: async (ms, leastMs) => {
      if (!isAnnounced) await pause(ms, (end) => (endEmpty = end));
      if (!isAnnounced) return;
      const restMs = leastMs - (performance.now() - askedAtMs);
      await pause(Math.max(gatherMs, restMs), () => undefined);
    },
    whileFull: (ms) => pause(ms, (end) => (endFull = end)),
    announced: () => {
      isAnnounced = true;
      endEmpty();
    },
    itemEnded: () => {
      endEmpty();
      endFull();
    },
  };
}
