import type { Readable } from 'node:stream';
import { Fault } from '../base/fault.ts';
import { onOwnExit } from './on-own-exit.ts';
import { killByEnvironment } from './process-tree.ts';
import { startChild, type EnvironmentMark } from './start-child.ts';

export interface RunCommandOptions {
  readonly cwd: string;
  /** The complete environment of the child; see `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  /** No limit when undefined. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** The standard input of the child; empty when undefined. */
  readonly input?: string | Uint8Array | undefined;
  /** A descriptor for standard output, so that the child never waits for us to read. */
  readonly outputFile?: number | undefined;
  /** How much of each output is kept; the rest is read and discarded, so that the child never blocks. */
  readonly maxOutputBytes?: number;
  /** Which part of a longer output is kept; the beginning by default. */
  readonly keepOutput?: 'head' | 'tail';
  /** How long the child may take to exit after SIGTERM before it is killed. */
  readonly graceMs?: number;
  /** Called with the process id once the child runs. */
  readonly onStart?: (pid: number) => void;
  /** With a mark, all remaining descendants are killed when the child exits. */
  readonly mark?: EnvironmentMark;
}

interface Outcome<T> {
  /** Null when a signal terminated the child. */
  readonly exitCode: number | null;
  readonly stdout: T;
  readonly stderr: T;
}

export type CommandOutcome = Outcome<string>;

const MAX_OUTPUT_BYTES = 1024 * 1024;
const GRACE_MS = 1500;

/** Runs a program and returns its output as text; see `runCommandForBytes`. */
export async function runCommand(
  argv: readonly string[],
  options: RunCommandOptions,
): Promise<CommandOutcome> {
  const { exitCode, stdout, stderr } = await runCommandForBytes(argv, options);
  return { exitCode, stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8') };
}

/**
 * Runs a program without a shell, in its own process group, and waits for its exit. A timeout or abort terminates the whole tree,
 * first with SIGTERM, then with SIGKILL; so does the exit of this process. Contract: returns the outcome for any exit code. Throws
 * only for a program that cannot be started (E_CONFIG when it does not exist), a timeout and an interruption.
 */
export async function runCommandForBytes(
  argv: readonly string[],
  options: RunCommandOptions,
): Promise<Outcome<Buffer>> {
  const [program = ''] = argv;
  const { mark, input, signal, timeoutMs } = options;
  if (signal?.aborted === true) throw interrupted(program);
  const {
    process: child,
    tree,
    closed,
  } = startChild(argv, {
    cwd: options.cwd,
    env: options.env,
    stdio: [input === undefined ? 'ignore' : 'pipe', options.outputFile ?? 'pipe', 'pipe'],
    mark,
  });
  child.stdin?.end(input);
  if (child.pid !== undefined) options.onStart?.(child.pid);
  const maxBytes = options.maxOutputBytes ?? MAX_OUTPUT_BYTES;
  const collect = options.keepOutput === 'tail' ? collectTail : collectHead;
  const stdout = collect(child.stdout, maxBytes);
  const stderr = collect(child.stderr, maxBytes);

  let stopped: Fault | undefined;
  let force: NodeJS.Timeout | undefined;
  const stop = (fault: Fault): void => {
    if (stopped !== undefined) return;
    stopped = fault;
    tree.signal('SIGTERM');
    force = setTimeout(() => tree.signal('SIGKILL'), options.graceMs ?? GRACE_MS);
  };
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => stop(timedOut(program, timeoutMs)), timeoutMs);
  const onAbort = (): void => stop(interrupted(program));
  signal?.addEventListener('abort', onAbort, { once: true });
  // The child must not keep running when this process exits.
  const release = onOwnExit(() =>
    mark === undefined ? tree.signalGroup('SIGTERM') : tree.signal('SIGTERM'),
  );
  try {
    const { exitCode } = await closed;
    if (stopped !== undefined) throw stopped;
    return { exitCode, stdout: stdout(), stderr: stderr() };
  } finally {
    clearTimeout(timer);
    clearTimeout(force);
    signal?.removeEventListener('abort', onAbort);
    release();
    // The leader may have exited while a member of its group ignored SIGTERM.
    if (stopped !== undefined) tree.signal('SIGKILL');
    if (mark !== undefined) killByEnvironment(`${mark.name}=${mark.value}`);
  }
}

function collectHead(stream: Readable | null, maxBytes: number): () => Buffer {
  const chunks: Buffer[] = [];
  let kept = 0;
  stream?.on('data', (chunk: Buffer) => {
    const rest = chunk.subarray(0, maxBytes - kept);
    kept += rest.length;
    if (rest.length > 0) chunks.push(rest);
  });
  return () => Buffer.concat(chunks);
}

function collectTail(stream: Readable | null, maxBytes: number): () => Buffer {
  let tail = Buffer.alloc(0);
  stream?.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-maxBytes);
  });
  return () => tail;
}

function timedOut(program: string, timeoutMs: number): Fault {
  return new Fault('E_TIMEOUT', `${program} did not finish within ${timeoutMs} ms and was terminated.`, {
    details: { program },
  });
}

function interrupted(program: string): Fault {
  return new Fault('E_INTERRUPTED', `${program} was terminated because the command was interrupted.`, {
    details: { program },
  });
}
