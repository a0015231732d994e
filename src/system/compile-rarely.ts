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
