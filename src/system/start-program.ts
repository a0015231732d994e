import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { sleep } from '../base/sleep.ts';
import { onOwnExit } from './on-own-exit.ts';
import {
  identifyProcess,
  isSameProcessAlive,
  pidNamespace,
  type ProcessIdentity,
} from './process-identity.ts';
import { killByEnvironment, listDescendants, signalProcesses } from './process-tree.ts';
import { startChild, type EnvironmentMark } from './start-child.ts';
import { uniqueName } from './unique-name.ts';

export interface StartOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Whether the program creates a pid namespace, so that killing its descendants kills everything. It reports the namespace on
   * descriptor 3 in the format of bubblewrap's `--info-fd`; the end is reported when all processes of the namespace have exited.
   */
  readonly container: boolean;
  /** The mark of the program's processes; unique by default. */
  readonly mark?: EnvironmentMark;
}

export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What the program wrote to descriptor 3, where wrappers report their progress. */
  readonly status: string;
}

export interface StartedProgram {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the program has exited and its output is read; a program that cannot be started is E_CONFIG. */
  readonly ended: Promise<ProcessEnd>;
  readonly kill: () => void;
  /** Whether `kill` was called. */
  readonly killed: () => boolean;
}

/** The interval of repeated kills: processes forked meanwhile are missed by the first pass. */
const KILL_AGAIN_MS = 25;
const STATUS_CHARACTERS = 1000;
/** The environment variable that identifies a program and its descendants. */
const MARK = 'DEED_PROGRAM';

/** Starts a program in its own process group, with pipes; the caller decides when to kill it. */
export function startProgram(argv: readonly string[], options: StartOptions): StartedProgram {
  const { container } = options;
  const mark = container ? undefined : (options.mark ?? { name: MARK, value: uniqueName() });
  const {
    process: child,
    tree,
    exited,
    closed,
  } = startChild(argv, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    mark,
  });
  const [stdin, stdout, stderr, statusPipe] = child.stdio as unknown as [
    Writable,
    Readable,
    Readable,
    Readable,
  ];
  let again: NodeJS.Timeout | undefined;
  /** Without a namespace, a program's processes are found by parent, group and the inherited mark. */
  const killMarked = (): void => {
    tree.signal('SIGKILL');
    if (mark !== undefined) killByEnvironment(`${mark.name}=${mark.value}`);
  };
  const killTree = (): void => (container ? killContainer(child) : killMarked());
  const release = onOwnExit(killTree);
  const finish = (): void => {
    clearInterval(again);
    release();
    // A wrapper that is killed before its namespace exists leaves a child in its group that waits for it indefinitely.
    if (container) tree.signalGroup('SIGKILL');
    else killMarked();
  };
  exited.then(finish, finish);
  const readStatus = collectStatus(statusPipe);
  return {
    pid: child.pid,
    stdin,
    stdout,
    stderr,
    ended: closed.then(async (end) => {
      const status = readStatus();
      if (container) await waitForNamespace(findFirstProcess(status));
      return { ...end, status };
    }),
    kill: () => {
      if (again !== undefined || child.exitCode !== null || child.signalCode !== null) return;
      killTree();
      again = setInterval(killTree, KILL_AGAIN_MS);
    },
    killed: () => again !== undefined,
  };
}

function collectStatus(pipe: Readable): () => string {
  let text = '';
  pipe.on('data', (chunk: Buffer) => {
    if (text.length < STATUS_CHARACTERS) text += chunk.toString('utf8');
  });
  return () => text;
}

/**
 * Finds the first process of the namespace that a wrapper reported. The report is often read only after the wrapper has exited,
 * so the process is not found by its parent; the id of the namespace distinguishes it from a later process with the same pid.
 */
function findFirstProcess(status: string): ProcessIdentity | undefined {
  const pid = Number(/"child-pid": (\d+)/u.exec(status)?.[1]);
  const namespace = /"pid-namespace": (\d+)/u.exec(status)?.[1];
  return namespace !== undefined && pidNamespace(pid) === namespace ? identifyProcess(pid) : undefined;
}

/**
 * Waits for the exit of a namespace's first process, and so of all others in it: bubblewrap exits with the command, its namespace
 * shortly after.
 */
async function waitForNamespace(first: ProcessIdentity | undefined): Promise<void> {
  if (first === undefined) return;
  while (isSameProcessAlive(first)) {
    signalProcesses([first], 'SIGKILL');
    await sleep(1);
  }
}

/** Killing the namespace's first process kills all others in it; the outer process must outlive them. */
function killContainer(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const below = listDescendants(child.pid);
  if (below.length > 0) signalProcesses(below, 'SIGKILL');
  else child.kill('SIGKILL');
}
