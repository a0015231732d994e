import type { EarlySignals } from '../entrypoints/cli/early-signals.ts';

const EXIT_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const INTERRUPTED = 130;

/**
 * Catches signals from the start of the process and queues them until the program that is being loaded handles them. Otherwise a signal
 * within the first milliseconds would kill the process without an envelope. It is in this folder because all other code is loaded later.
 */
export function catchSignals(): EarlySignals {
  let pending = 0;
  let deliver = (): void => {
    pending += 1;
  };
  const handler = (): void => deliver();
  for (const name of EXIT_SIGNALS) process.on(name, handler);
  return {
    passTo: (listener) => {
      deliver = listener;
      for (; pending > 0; pending -= 1) listener();
    },
    release: () => {
      if (pending > 0) process.exit(INTERRUPTED);
      for (const name of EXIT_SIGNALS) process.off(name, handler);
    },
  };
}
