import { deliverSignals } from './deliver-signals.ts';
import { monotonicMs } from './monotonic-ms.ts';

/** Turns of the event loop during a long computation. */
export interface Breaks {
  /** Whether the computation has lasted long enough for one. */
  readonly isDue: () => boolean;
  readonly take: () => Promise<void>;
}

const EVERY_MS = 100;

/** Signals, deadlines and other work of the process wait for a computation without breaks. `onBreak` may throw to end it. */
export function createBreaks(onBreak: () => void): Breaks {
  let last = monotonicMs();
  return {
    isDue: () => monotonicMs() - last >= EVERY_MS,
    take: async () => {
      await deliverSignals();
      onBreak();
      last = monotonicMs();
    },
  };
}
