interface BunRuntime {
  readonly unsafe: { readonly setJITPolicy: (scale: number) => void };
}

/** By how much later than usual code is compiled. */
const SCALES = { normal: 1, never: 1e9 };

/**
 * Changes when the runtime of the executable compiles code. It starts with a policy for short commands, which compiles late: in a process
 * that runs for hours, one function after the other would be compiled all the time, and its memory would grow for as long. A server
 * compiles as usual, and reaches its size after minutes. A process that mostly waits never compiles, and stays small. Does nothing on Node.
 */
export function setJitPolicy(policy: keyof typeof SCALES): void {
  const { Bun: runtime } = globalThis as { readonly Bun?: BunRuntime };
  runtime?.unsafe.setJITPolicy(SCALES[policy]);
}
