import { monotonicMs } from './monotonic-ms.ts';

interface BunRuntime {
  readonly gc: (synchronous: boolean) => void;
}

const INTERVAL_MS = 1000;
let releasedAt = Number.NEGATIVE_INFINITY;

/**
 * Collects garbage, at most once a second: for the idle moments of a process that runs for days and works in bursts. The runtime of the
 * executable collects after a certain amount of new objects, so without this it keeps the garbage of a burst until the next ones. Does
 * nothing on Node, which collects when it is idle.
 */
export function releaseMemory(): void {
  const { Bun: runtime } = globalThis as { readonly Bun?: BunRuntime };
  const now = monotonicMs();
  if (runtime === undefined || now - releasedAt < INTERVAL_MS) return;
  releasedAt = now;
  runtime.gc(true);
}

const AFTER_CALLS_MS = 30_000;

/** Releases memory while calls or items are counted, but not after each of them: it takes as long as a call. Returns a function that stops this. */
export function releaseAfterCalls(count: () => number): () => void {
  let released = 0;
  const timer = setInterval(() => {
    if (count() === released) return;
    released = count();
    releaseMemory();
  }, AFTER_CALLS_MS);
  timer.unref();
  return () => clearInterval(timer);
}
