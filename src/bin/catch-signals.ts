import type { EarlySignals } from '../entrypoints/cli/early-signals.ts';

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const INTERRUPTED = 130;

/**
 * Catches signals from the first moment that our code runs, and keeps them until the program that is being loaded takes them over.
 * Without it a signal within the first milliseconds would kill the process without an answer. It lives here because everything outside
 * this folder is loaded later.
 */
export function catchSignals(): EarlySignals {
  let waiting = 0;
  let deliver = (): void => {
    waiting += 1;
  };
  const handler = (): void => deliver();
  for (const name of ENDING_SIGNALS) process.on(name, handler);
  return {
    passTo: (listener) => {
      deliver = listener;
      for (; waiting > 0; waiting -= 1) listener();
    },
    release: () => {
      if (waiting > 0) process.exit(INTERRUPTED);
      for (const name of ENDING_SIGNALS) process.off(name, handler);
    },
  };
}
