/**
 * Lets the runtime call the handlers of signals that this process already received: handlers run only between two rounds of the event
 * loop, so a computation without a pause hides every signal until it ends. The second round is for handlers that the first one queued.
 */
export async function deliverSignals(): Promise<void> {
  for (let round = 0; round < 2; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
