import type { StartedProgram } from './start-program.ts';

export interface KillWatch {
  /** Whether the program was killed by the timeout. */
  readonly timedOut: () => boolean;
  readonly release: () => void;
}

/** Kills a program when a signal aborts or a timeout expires. */
export function killWhen(
  { kill }: Pick<StartedProgram, 'kill'>,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs?: number },
): KillWatch {
  let timedOut = false;
  const onTimeout = (): void => {
    timedOut = true;
    kill();
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs);
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  return {
    timedOut: () => timedOut,
    release: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
    },
  };
}
