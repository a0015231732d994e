import type { Libc } from '../../system/libc/libc.ts';
import type { TreeFacts } from '../features/process-index.ts';

/** The current state of a process; cheap enough to read before every signal. */
export interface LiveProcess extends TreeFacts {
  /** Null when the owner could not be read. */
  readonly uid: number | null;
  /** The path of its program, without the " (deleted)" suffix; null when it cannot be read. */
  readonly exe: string | null;
}

/** The identity of a planned process. Pids are reused, so the start time, owner and program must match too. */
export interface ExpectedProcess {
  readonly pid: number;
  readonly startTicks: number;
  readonly uid: number | null;
  readonly exe: string | null;
}

/** The dependencies of actions. */
export interface ActionContext {
  readonly libc: Pick<Libc, 'pidfdOpen' | 'pidfdSendSignal' | 'pidfdHasEnded'>;
  /** Reads one process; undefined when it does not exist. */
  readonly readProcess: (pid: number) => LiveProcess | undefined;
  /** Lists all processes with their parents. */
  readonly listParents: () => readonly { readonly pid: number; readonly ppid: number }[];
  /** The private memory of a process; undefined when it cannot be read. */
  readonly memoryBytes: (pid: number) => number | undefined;
  readonly monotonicMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Aborts when the caller cancels; an action that was started still stops in a safe state. */
  readonly signal: AbortSignal;
}

/** Describes how a process differs from the expected one; undefined when it is the same. */
export function differenceOf(expected: ExpectedProcess, live: LiveProcess): string | undefined {
  if (live.startTicks !== expected.startTicks)
    return `pid ${live.pid} started at tick ${live.startTicks}, not ${expected.startTicks}`;
  if (expected.uid !== null && live.uid !== expected.uid)
    return `pid ${live.pid} belongs to uid ${live.uid ?? 'unknown'}, not ${expected.uid}`;
  if (expected.exe !== null && live.exe !== expected.exe)
    return live.exe === null
      ? `the program of pid ${live.pid} is no longer readable`
      : `pid ${live.pid} now runs a different program`;
  return undefined;
}
