import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Fault } from '../base/fault.ts';
import { sleep } from '../base/sleep.ts';
import { LineSplitter } from './line-splitter.ts';
import { onOwnExit } from './on-own-exit.ts';
import { startChild } from './start-child.ts';

export interface LineProgramOptions {
  readonly cwd: string;
  /** The complete environment of the child; see `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly onLine: (line: string) => void;
  /** Called once, when the child has exited or its output is invalid; no line follows. */
  readonly onEnd: (reason: string) => void;
  readonly maxLineBytes: number;
}

/** A child with a line protocol, and its process tree. */
export interface LineProgram {
  readonly pid: number | undefined;
  /** Resolves when the line is written; waits while the child does not read. */
  readonly write: (line: string) => Promise<void>;
  /** The last output on standard error. */
  readonly stderrTail: () => string;
  /** Stops the process tree: closes its input, sends SIGTERM, then SIGKILL. Resolves when all processes have exited; never throws. */
  readonly end: (graceMs?: number) => Promise<void>;
}

const GRACE_MS = 1500;
const STDERR_TAIL_BYTES = 4096;
/** How long a child may take to exit after it closed its output. */
const CLOSED_OUTPUT_MS = 2000;
/** How long the rest of standard error is waited for after the exit of a child; another process may keep it open. */
const STDERR_DRAIN_MS = 500;

/** Starts a program without a shell, in its own process group. Its tree is killed when this process exits. */
export async function startLineProgram(
  argv: readonly [string, ...string[]],
  options: LineProgramOptions,
): Promise<LineProgram> {
  const [program] = argv;
  const { cwd, env } = options;
  const { process: started, tree, ...states } = startChild(argv, { cwd, env, stdio: 'pipe' });
  const child = started as ChildProcessWithoutNullStreams;
  await states.started;
  const release = onOwnExit(() => tree.signalGroup('SIGKILL'));

  let over = false;
  const finish = (reason: string): void => {
    if (over) return;
    over = true;
    options.onEnd(reason);
  };
  const splitter = new LineSplitter(options.maxLineBytes);
  child.stdout.on('data', (piece: Buffer) => {
    if (over) return;
    for (const line of splitter.push(piece)) if (!over) options.onLine(line);
    if (splitter.overflowed) finish(`it sent a line of more than ${options.maxLineBytes} bytes`);
  });
  let stderr = Buffer.alloc(0);
  child.stderr.on('data', (piece: Buffer) => {
    stderr = Buffer.concat([stderr, piece]).subarray(-STDERR_TAIL_BYTES);
  });
  // An exiting child also closes its output; wait for its exit, which is the better reason.
  child.stdout.once('end', () => {
    setTimeout(() => finish('it closed its output'), CLOSED_OUTPUT_MS).unref();
  });
  const stderrClosed = new AbortController();
  child.stderr.once('close', () => stderrClosed.abort());
  const watchExit = async (): Promise<void> => {
    try {
      const { exitCode, signal } = await states.exited;
      if (!over) await sleep(STDERR_DRAIN_MS, stderrClosed.signal);
      finish(signal === null ? `it exited with code ${exitCode}` : `it was killed by ${signal}`);
    } catch {
      finish('it could not be signalled');
    }
  };
  const exited = watchExit();

  const endTree = async (graceMs: number): Promise<void> => {
    finish('it was closed');
    child.stdin.end();
    tree.signal('SIGTERM');
    const ended = new AbortController();
    void exited.then(() => ended.abort());
    await sleep(graceMs, ended.signal);
    // The leader may have exited while a member of its tree ignored SIGTERM.
    tree.signal('SIGKILL');
    await exited;
    child.stdout.destroy();
    child.stderr.destroy();
    release();
  };
  // Only once: later the group id may be reused.
  let ending: Promise<void> | undefined;
  return {
    pid: child.pid,
    stderrTail: () => stderr.toString('utf8').trim(),
    end: (graceMs = GRACE_MS) => (ending ??= endTree(graceMs)),
    write: async (line) => {
      if (over) throw new Fault('E_IO', `${program} has exited.`, { details: { program } });
      await writeLine(child, line);
    },
  };
}

/** Resolves when the pipe can accept more, or the child has exited. */
function writeLine(child: ChildProcessWithoutNullStreams, line: string): Promise<void> {
  return new Promise((resolve) => {
    if (child.stdin.write(`${line}\n`)) return resolve();
    child.stdin.once('drain', resolve);
    child.once('exit', () => resolve());
    return undefined;
  });
}
