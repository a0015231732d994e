import { deliverSignals } from './deliver-signals.ts';
import { monotonicMs } from './monotonic-ms.ts';

/** Lets a long computation yield to the event loop at intervals. */
export interface Yielder {
  /** Whether the computation has run long enough since the last yield. */
  readonly isDue: () => boolean;
  readonly yieldNow: () => Promise<void>;
}

const EVERY_MS = 100;

/** Without yielding, a computation delays signals, deadlines and all other work of the process. `onYield` may throw to cancel it. */
export function createYielder(onYield: () => void): Yielder {
  let last = monotonicMs();
  return {
    isDue: () => monotonicMs() - last >= EVERY_MS,
    yieldNow: async () => {
      await deliverSignals();
      onYield();
      last = monotonicMs();
    },
  };
}
