import type { Libc } from '../../system/libc/libc.ts';
import type { TreeFacts } from '../features/process-index.ts';

/** A process as it is right now; cheap enough to be read again before every signal. */
export interface LiveProcess extends TreeFacts {
  /** Null when the owner could not be read. */
  readonly uid: number | null;
  /** The program it runs, without the mark of a deleted file; null when it may not be seen. */
  readonly exe: string | null;
}

/** Which process a plan meant. A pid alone is used again; ticks count from one boot. */
export interface ExpectedProcess {
  readonly pid: number;
  readonly startTicks: number;
  readonly uid: number | null;
  readonly exe: string | null;
}

/** What actions need of the machine. */
export interface ActionContext {
  readonly libc: Pick<Libc, 'pidfdOpen' | 'pidfdSendSignal' | 'pidfdHasEnded'>;
  /** Reads one process; nothing when there is none. */
  readonly look: (pid: number) => LiveProcess | undefined;
  /** Lists every process with its parent. */
  readonly listParents: () => readonly { readonly pid: number; readonly ppid: number }[];
  /** What a process takes of the memory alone; nothing when it may not be known. */
  readonly memoryBytes: (pid: number) => number | undefined;
  readonly monotonicMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Aborts when the caller wants to stop; an action that was begun still comes to a safe end. */
  readonly signal: AbortSignal;
}

/** Says what tells a process from the one that was meant; nothing when it is the same. */
export function differenceOf(expected: ExpectedProcess, live: LiveProcess): string | undefined {
  if (live.startTicks !== expected.startTicks)
    return `pid ${live.pid} was started at tick ${live.startTicks}, not ${expected.startTicks}`;
  if (expected.uid !== null && live.uid !== expected.uid)
    return `pid ${live.pid} belongs to uid ${live.uid ?? 'unknown'}, not ${expected.uid}`;
  if (expected.exe !== null && live.exe !== expected.exe)
    return live.exe === null
      ? `the program of pid ${live.pid} cannot be read any more`
      : `pid ${live.pid} runs another program now`;
  return undefined;
}
