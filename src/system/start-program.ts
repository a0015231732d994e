import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { sleep } from '../base/sleep.ts';
import { onOwnExit } from './on-own-exit.ts';
import { isSameProcessAlive, type ProcessIdentity } from './process-identity.ts';
import { endByEnvironment, listDescendants, signalProcesses } from './process-tree.ts';
import { startChild, type EnvironmentMark } from './start-child.ts';
import { uniqueName } from './unique-name.ts';

export interface StartOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Whether the program makes a pid namespace whose end it outlives, so that killing what is below it ends everything and its own
   * end tells that all are gone.
   */
  readonly container: boolean;
  /** What is known by the environment to belong to the program, where that must be the same every time; unique if not given. */
  readonly mark?: EnvironmentMark;
}

export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What the program wrote to descriptor 3; wrappers tell there how far they came. */
  readonly status: string;
}

export interface StartedProgram {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the program has ended and its outputs are read; a program that cannot be started is E_CONFIG. */
  readonly ended: Promise<ProcessEnd>;
  readonly kill: () => void;
  /** Whether somebody called `kill`. */
  readonly killed: () => boolean;
}

/** How often a kill is repeated: what forks while it is being killed has children that the first look missed. */
const KILL_AGAIN_MS = 25;
const STATUS_CHARACTERS = 1000;
/** Names, in the environment of a program and of all it starts, which program that was. */
const MARK = 'DEED_PROGRAM';

/** Starts a program in a process group of its own, with pipes, and leaves when to end it to the caller. */
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
  /** Without a namespace, what belongs to a program is known by its parents, its group and the mark that children inherit. */
  const endMarked = (): void => {
    tree.signal('SIGKILL');
    if (mark !== undefined) endByEnvironment(`${mark.name}=${mark.value}`);
  };
  const killTree = (): void => (container ? endContainer(child) : endMarked());
  const release = onOwnExit(killTree);
  const finish = (): void => {
    clearInterval(again);
    release();
    // A wrapper that is killed before its namespace stands leaves its child waiting for it for ever, in its group.
    if (container) tree.signalGroup('SIGKILL');
    else endMarked();
  };
  exited.then(finish, finish);
  const status = readStatus(statusPipe, () =>
    container && child.pid !== undefined ? listDescendants(child.pid)[0] : undefined,
  );
  return {
    pid: child.pid,
    stdin,
    stdout,
    stderr,
    ended: closed.then(async (end) => {
      await outlive(status.first());
      return { ...end, status: status.text() };
    }),
    kill: () => {
      if (again !== undefined || child.exitCode !== null || child.signalCode !== null) return;
      killTree();
      again = setInterval(killTree, KILL_AGAIN_MS);
    },
    killed: () => again !== undefined,
  };
}

/** Reads how far a wrapper came; as soon as it says so, the first process of its namespace is there to be found. */
function readStatus(pipe: Readable, findFirst: () => ProcessIdentity | undefined) {
  let text = '';
  let first: ProcessIdentity | undefined;
  pipe.on('data', (chunk: Buffer) => {
    if (text.length < STATUS_CHARACTERS) text += chunk.toString('utf8');
    first ??= findFirst();
  });
  return { text: () => text, first: () => first };
}

/**
 * Waits for the end of a namespace's first process, and with it of all others there: bubblewrap itself ends as soon as the command
 * has, and its namespace a moment later.
 */
async function outlive(first: ProcessIdentity | undefined): Promise<void> {
  if (first === undefined) return;
  while (isSameProcessAlive(first)) {
    signalProcesses([first], 'SIGKILL');
    await sleep(1);
  }
}

/** The namespace's first process takes all others with it; the outer one must live to see that. */
function endContainer(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const below = listDescendants(child.pid);
  if (below.length > 0) signalProcesses(below, 'SIGKILL');
  else child.kill('SIGKILL');
}
