export interface RequestLoop {
  readonly request: () => void;
  readonly stop: () => void;
}

/** Every read is in the audit log, so a page with many changes is not read more often. */
const MIN_INTERVAL_MS = 1000;

/** Runs an action on request: one at a time, at most once per interval, and once more if it was requested meanwhile. */
export function createRequestLoop(action: (signal: AbortSignal) => Promise<void>): RequestLoop {
  const controller = new AbortController();
  let isRunning = false;
  let isRequested = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    while (isRequested && !controller.signal.aborted) {
      isRequested = false;
      await action(controller.signal);
      await new Promise((resolve) => setTimeout(resolve, MIN_INTERVAL_MS));
    }
    isRunning = false;
  };
  return {
    request: () => {
      isRequested = true;
      if (!isRunning) void run();
    },
    stop: () => controller.abort(),
  };
}
