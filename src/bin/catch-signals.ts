import type { EarlySignals } from '../entrypoints/cli/early-signals.ts';

const TERMINATION_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const INTERRUPTED = 130;

/**
 * Catches signals from the start of our code and queues them until the program is loaded. Without this, a signal in the first
 * milliseconds would kill the process without an answer. It is in this folder because all other code is loaded later.
 */
export function catchSignals(): EarlySignals {
  let waiting = 0;
  let deliver = (): void => {
    waiting += 1;
  };
  const handler = (): void => deliver();
  for (const name of TERMINATION_SIGNALS) process.on(name, handler);
  return {
    passTo: (listener) => {
      deliver = listener;
      for (; waiting > 0; waiting -= 1) listener();
    },
    release: () => {
      if (waiting > 0) process.exit(INTERRUPTED);
      for (const name of TERMINATION_SIGNALS) process.off(name, handler);
    },
  };
}
