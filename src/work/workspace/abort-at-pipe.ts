import { waitsForPipe } from '../../system/process-identity.ts';

const CHECK_MS = 1000;

export interface PipeWatch {
  /** Aborts when the process waits for a named pipe. */
  readonly signal: AbortSignal;
  readonly watch: (pid: number) => void;
  readonly [Symbol.dispose]: () => void;
}

/** Detects that a program would wait forever: a repository can contain a named pipe in place of any file. */
export function abortAtPipe(): PipeWatch {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: controller.signal,
    watch: (pid) => {
      timer = setInterval(() => {
        if (waitsForPipe(pid)) controller.abort();
      }, CHECK_MS);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
