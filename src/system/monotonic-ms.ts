/** Reads a clock that never jumps. The global `performance` is one too, but Node loads a large module at its first use. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
