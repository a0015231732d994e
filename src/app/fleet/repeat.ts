import { errorMessage } from '../../base/error-message.ts';
import { sleep } from '../../base/sleep.ts';

/** An action that is repeated while a process serves. */
export interface Repeated {
  /** Resolves when the last round has ended. */
  readonly stop: () => Promise<void>;
}

/** When an action happens first, and how often. */
export interface Pace {
  readonly firstMs: number;
  readonly everyMs: number;
}

/** Repeats an action until it is stopped. Nothing depends on it: a failure is passed to `onFailure`. */
export function repeat(
  { firstMs, everyMs }: Pace,
  action: () => Promise<void>,
  onFailure: (message: string) => void,
): Repeated {
  const ending = new AbortController();
  const running = (async (): Promise<void> => {
    await sleep(firstMs, ending.signal);
    while (!ending.signal.aborted) {
      await action().catch((error: unknown) => onFailure(errorMessage(error)));
      await sleep(everyMs, ending.signal);
    }
  })();
  return {
    stop: async () => {
      ending.abort();
      await running;
    },
  };
}
