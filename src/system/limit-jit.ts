interface BunRuntime {
  readonly unsafe: { readonly setJITPolicy: (scale: number) => void };
}

/** Multiplies the JIT thresholds of the runtime. A loop that runs for a second is still compiled. */
const SCALE = 5000;
/** The thresholds of the runtime itself. */
const NORMAL_SCALE = 1;

/** For fewer bytes, to change the thresholds takes longer than it saves. */
const LARGE_BYTES = 16 * 1024;

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

/** Runs a computation over bytes, compiled if there are many: otherwise it would take twenty times as long. */
export function withJit<T>(bytes: Uint8Array, compute: (bytes: Uint8Array) => T): T {
  if (!isLimited || bytes.length < LARGE_BYTES) return compute(bytes);
  setScale(NORMAL_SCALE);
  try {
    return compute(bytes);
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
