import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { childTree, type ChildTree } from './child-tree.ts';
import { programNotStarted } from './program-not-started.ts';

/** An environment variable that identifies one child and all its descendants. */
export interface EnvironmentMark {
  readonly name: string;
  readonly value: string;
}

export interface ChildOptions {
  readonly cwd: string;
  /** The complete environment of the child; see `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: StdioOptions;
  readonly mark?: EnvironmentMark | undefined;
}

export interface ChildEnd {
  /** Null when a signal terminated the child. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Child {
  readonly process: ChildProcess;
  readonly tree: ChildTree;
  /** Resolves when the child runs. A program that cannot be started rejects all three promises; a missing one is E_CONFIG. */
  readonly started: Promise<void>;
  /** Resolves when the child has exited. */
  readonly exited: Promise<ChildEnd>;
  /** Resolves when the child has exited and its output is read. */
  readonly closed: Promise<ChildEnd>;
}

/** How long output may still arrive after the child has exited; a grandchild may keep the pipe open indefinitely. */
const DRAIN_MS = 500;

/**
 * Starts a program without a shell, in its own process group. All child processes are started here: `runCommand` waits for the exit,
 * `startProgram` streams, `startLineProgram` uses a line protocol, `startDetached` starts one that outlives this process.
 */
export function startChild(argv: readonly string[], options: ChildOptions): Child {
  const [program = '', ...args] = argv;
  const { mark } = options;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...options.env, ...(mark && { [mark.name]: mark.value }) },
    stdio: options.stdio,
    detached: true,
  });
  // A child that does not read its input, or has just exited, is not a failure.
  child.stdin?.on('error', () => undefined);
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(programNotStarted(error, program, options.cwd)));
  });
  const running = new Promise<void>((resolve) => child.once('spawn', resolve));
  const ending = new Promise<ChildEnd>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  // Not every runtime waits for the pipes after the first three before it reports the close.
  const closing = Promise.all([child, ...streamsOf(child).slice(3)].map(closeOf));
  const started = Promise.race([running, failed]);
  const exited = Promise.race([ending, failed]);
  const closed = exited.then(async (end) => {
    const drain = setTimeout(() => {
      for (const stream of streamsOf(child)) stream?.destroy();
    }, DRAIN_MS);
    await closing;
    clearTimeout(drain);
    return end;
  });
  // A caller awaits one of them; the others must not be reported as unhandled.
  for (const promise of [started, exited, closed]) promise.catch(() => undefined);
  return {
    process: child,
    tree: childTree(child, mark && `${mark.name}=${mark.value}`),
    started,
    exited,
    closed,
  };
}

/** The streams of a child; none if this process has too many open files to start it. */
function streamsOf({ stdio }: { readonly stdio?: ChildProcess['stdio'] }): Partial<ChildProcess['stdio']> {
  return stdio ?? [];
}

function closeOf(emitter: EventEmitter | null | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (emitter === null || emitter === undefined) resolve();
    else emitter.once('close', () => resolve());
  });
}
