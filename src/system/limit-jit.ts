interface BunRuntime {
  readonly unsafe: { readonly setJITPolicy: (scale: number) => void };
}

/** Multiplies the JIT thresholds of the runtime. A loop that runs for a second is still compiled. */
const SCALE = 5000;
/** The thresholds of the runtime itself. */
const NORMAL_SCALE = 1;

let isLimited = false;

/**
 * Turns off most JIT compilation in the executable, for a process that runs for hours and mostly waits. Otherwise more and more functions
 * reach the thresholds of the JIT, and memory grows with each of them. Interpreted, a call takes one or two milliseconds more. Does
 * nothing on Node.
 */
export function limitJit(): void {
  isLimited = true;
  setScale(SCALE);
}

/** Runs a computation over many bytes, which takes twenty times as long without compilation. */
export function withJit<T>(compute: () => T): T {
  if (!isLimited) return compute();
  setScale(NORMAL_SCALE);
  try {
    return compute();
  } finally {
    setScale(SCALE);
  }
}

function setScale(scale: number): void {
  const { Bun: runtime } = globalThis as { readonly Bun?: BunRuntime };
  runtime?.unsafe.setJITPolicy(scale);
}

/** Hot code has been compiled by then. */
const WARM_UP_MS = 10 * 60_000;

/** Calls `limitJit` after ten minutes, for a process that computes too much to be interpreted from the start. */
export function limitJitLater(): void {
  setTimeout(limitJit, WARM_UP_MS).unref();
}
