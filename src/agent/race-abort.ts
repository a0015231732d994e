/** Why a tool or a request was ended from our side. */
export class Ending extends Error {}

/** Settles as the work does, or rejects as soon as the signal aborts; work that goes on regardless is left alone. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = followAbort(signal, () => reject(signal.reason as Error));
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    leave();
  }
}

/** Aborts the controller with the signal; returns how to stop listening. */
export function followSignal(signal: AbortSignal, controller: AbortController): () => void {
  return followAbort(signal, () => controller.abort(signal.reason));
}

/** Calls back when a signal aborts, at once if it has; returns how to stop listening. */
export function followAbort(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) action();
  else signal.addEventListener('abort', action, { once: true });
  return () => signal.removeEventListener('abort', action);
}
