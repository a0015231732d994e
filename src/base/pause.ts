/** Waits and lets nothing else happen in this process meanwhile: for a moment, where a promise could not be waited for. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
