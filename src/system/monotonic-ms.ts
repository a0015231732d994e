/** Reads the monotonic clock. */
export function monotonicMs(): number {
  return performance.now();
}
