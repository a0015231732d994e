import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Fault } from '../base/fault.ts';
import { sleep } from '../base/sleep.ts';
import { LineSplitter } from './line-splitter.ts';
import { onOwnExit } from './on-own-exit.ts';
import { startChild } from './start-child.ts';

export interface LineProgramOptions {
  readonly cwd: string;
  /** The child's whole environment; see `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly onLine: (line: string) => void;
  /** Called once, when the child has ended or its output became unreadable; no line comes after it. */
  readonly onEnd: (reason: string) => void;
  readonly maxLineBytes: number;
}

/** A child that is spoken to in lines, with its whole tree. */
export interface LineProgram {
  readonly pid: number | undefined;
  /** Resolves when the child took the line; a child that reads nothing holds the caller back. */
  readonly write: (line: string) => Promise<void>;
  /** The end of what it said on standard error. */
  readonly complaints: () => string;
  /** Ends the whole tree: input closed, asked, then by force. Resolves when nothing of it is left; never throws. */
  readonly end: (graceMs?: number) => Promise<void>;
}

const GRACE_MS = 1500;
const COMPLAINT_BYTES = 4096;
/** How long after the end of its output a child may take to end itself. */
const CLOSED_OUTPUT_MS = 500;

/** Starts a program without a shell, in a process group of its own. Its tree also ends when this process does. */
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
  let complaints = Buffer.alloc(0);
  child.stderr.on('data', (piece: Buffer) => {
    complaints = Buffer.concat([complaints, piece]).subarray(-COMPLAINT_BYTES);
  });
  // A child that ended closes its output too, and its end says more.
  child.stdout.once('end', () => {
    setTimeout(() => finish('it closed its output'), CLOSED_OUTPUT_MS).unref();
  });
  const exited = states.exited.then(
    ({ exitCode, signal }) =>
      finish(signal === null ? `it ended with code ${exitCode}` : `it was ended by ${signal}`),
    () => finish('it could not be signalled'),
  );

  const endTree = async (graceMs: number): Promise<void> => {
    finish('it was closed');
    child.stdin.end();
    tree.signal('SIGTERM');
    const ended = new AbortController();
    void exited.then(() => ended.abort());
    await sleep(graceMs, ended.signal);
    // The leader may be gone while a member of its tree ignored the polite signal.
    tree.signal('SIGKILL');
    await exited;
    child.stdout.destroy();
    child.stderr.destroy();
    release();
  };
  // Once: later the number of its group may be another's.
  let ending: Promise<void> | undefined;
  return {
    pid: child.pid,
    complaints: () => complaints.toString('utf8').trim(),
    end: (graceMs = GRACE_MS) => (ending ??= endTree(graceMs)),
    write: async (line) => {
      if (over) throw new Fault('E_IO', `${program} has ended.`, { details: { program } });
      await writeLine(child, line);
    },
  };
}

/** Resolves when the child has room for more, or has ended. */
function writeLine(child: ChildProcessWithoutNullStreams, line: string): Promise<void> {
  return new Promise((resolve) => {
    if (child.stdin.write(`${line}\n`)) return resolve();
    child.stdin.once('drain', resolve);
    child.once('exit', () => resolve());
    return undefined;
  });
}
