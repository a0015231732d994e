/** Reads a clock that never jumps. */
export function monotonicMs(): number {
  return performance.now();
}
