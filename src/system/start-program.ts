import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { systemCode } from '../base/system-fault.ts';
import { isSameProcessAlive, type ProcessIdentity } from './process-identity.ts';
import { endByEnvironment, listDescendants, signalProcesses } from './process-tree.ts';
import { programNotStarted } from './program-not-started.ts';
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
  readonly mark?: { readonly name: string; readonly value: string };
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
/** How long output may still arrive after the program has ended and nothing of it should be left. */
const DRAIN_MS = 500;
const STATUS_CHARACTERS = 1000;
/** Names, in the environment of a program and of all it starts, which program that was. */
const MARK = 'DEED_PROGRAM';

/** Starts a program in a process group of its own, with pipes, and leaves when to end it to the caller. */
export function startProgram(argv: readonly string[], options: StartOptions): StartedProgram {
  const [program = '', ...args] = argv;
  const mark = options.mark ?? { name: MARK, value: uniqueName() };
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...options.env, ...(options.container ? {} : { [mark.name]: mark.value }) },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // A command that does not read its input is no failure of ours.
  child.stdin.on('error', () => undefined);
  let again: NodeJS.Timeout | undefined;
  const strike = (): void => (options.container ? endContainer(child) : endMarked(child, mark));
  const kill = (): void => {
    if (again !== undefined || child.exitCode !== null || child.signalCode !== null) return;
    strike();
    again = setInterval(strike, KILL_AGAIN_MS);
  };
  const onExit = (): void => strike();
  process.once('exit', onExit);
  const finish = (): void => {
    clearInterval(again);
    process.off('exit', onExit);
    if (!options.container) endMarked(child, mark);
    // A wrapper that is killed before its namespace stands leaves its child waiting for it for ever, in its group.
    else endGroup(child);
  };
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended: ended(child, program, options.container, finish),
    kill,
    killed: () => again !== undefined,
  };
}

function ended(
  child: ChildProcess,
  program: string,
  container: boolean,
  finish: () => void,
): Promise<ProcessEnd> {
  let status = '';
  let first: ProcessIdentity | undefined;
  const told = child.stdio[3] as Readable;
  told.on('data', (chunk: Buffer) => {
    if (status.length < STATUS_CHARACTERS) status += chunk.toString('utf8');
    if (container && child.pid !== undefined) first ??= listDescendants(child.pid)[0];
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      finish();
      reject(programNotStarted(error, program));
    });
    child.once('exit', () => {
      finish();
      const drain = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        told.destroy();
      }, DRAIN_MS);
      child.once('close', () => clearTimeout(drain));
    });
    child.once('close', (exitCode, signal) => {
      void outlive(first).then(() => resolve({ exitCode, signal, status }));
    });
  });
}

/**
 * Waits for the end of a namespace's first process, and with it of all others there: bubblewrap itself ends as soon as the command
 * has, and its namespace a moment later.
 */
async function outlive(first: ProcessIdentity | undefined): Promise<void> {
  for (;;) {
    if (first === undefined || !isSameProcessAlive(first)) return;
    signalProcesses([first], 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** The namespace's first process takes all others with it; the outer one must live to see that. */
function endContainer(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const below = listDescendants(child.pid);
  if (below.length > 0) signalProcesses(below, 'SIGKILL');
  else child.kill('SIGKILL');
}

/** Without a namespace, what belongs to a program is known by its parents, its group and the mark that children inherit. */
function endMarked(child: ChildProcess, mark: NonNullable<StartOptions['mark']>): void {
  if (child.pid === undefined) return;
  signalProcesses(listDescendants(child.pid), 'SIGKILL');
  endByEnvironment(`${mark.name}=${mark.value}`);
  endGroup(child);
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // Nobody is left in the group.
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}
