interface BunRuntime {
  readonly unsafe: { readonly setJITPolicy: (scale: number) => void };
}

/** How much later than usual code is compiled: a loop that runs for a second still is. */
const SCALE = 5000;

/**
 * Tells the runtime of the executable to compile almost nothing for speed: for a process that runs for hours and mostly waits. Otherwise one
 * function after the other is called often enough to be compiled, and later to be optimized, and memory grows for as long. Interpreted,
 * a call takes one or two milliseconds more. Does nothing on Node.
 */
export function compileRarely(): void {
  const { Bun: runtime } = globalThis as { readonly Bun?: BunRuntime };
  runtime?.unsafe.setJITPolicy(SCALE);
}

/** By then, code that is executed again and again is compiled. */
const WARM_UP_MS = 10 * 60_000;

/** Does so when a process has run for ten minutes: for one that computes so much that it should not be interpreted. */
export function compileRarelyLater(): void {
  setTimeout(compileRarely, WARM_UP_MS).unref();
}
