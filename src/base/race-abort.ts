/**
 * Settles with the work, or rejects as soon as the signal aborts; it does not cancel the work itself. The listener is removed at the end:
 * a signal that follows another one, such as the signal of a server, stays in memory as long as the other one while it has a listener.
 */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let unsubscribe = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    unsubscribe = onAbort(signal, () => reject(signal.reason as Error));
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    unsubscribe();
  }
}

/** Aborts the controller when the signal aborts; returns a function that removes the listener. */
export function linkAbort(signal: AbortSignal, controller: AbortController): () => void {
  return onAbort(signal, () => controller.abort(signal.reason));
}

/** Runs the action when the signal aborts, immediately if it already has; returns a function that removes the listener. */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) action();
  else signal.addEventListener('abort', action, { once: true });
  return () => signal.removeEventListener('abort', action);
}
