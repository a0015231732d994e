import type { Readable } from 'node:stream';
import { Fault } from '../base/fault.ts';
import { onOwnExit } from './on-own-exit.ts';
import { endByEnvironment } from './process-tree.ts';
import { startChild, type EnvironmentMark } from './start-child.ts';

export interface RunCommandOptions {
  readonly cwd: string;
  /** The child's whole environment; see `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  /** Without one the child may take as long as it likes. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** What the child reads on standard input; nothing if not given. */
  readonly input?: string | undefined;
  /** A descriptor that takes standard output, so that the child never waits for us to read. */
  readonly outputFile?: number | undefined;
  /** How much of each output is kept; the rest is read and dropped, so that the child never blocks on us. */
  readonly maxOutputBytes?: number;
  /** How long the child may take to end after it was asked to, before it is killed. */
  readonly graceMs?: number;
  /** With a mark, whatever is left of what the child started is ended together with the child. */
  readonly mark?: EnvironmentMark;
}

interface Outcome<T> {
  /** Null when a signal from elsewhere ended the child. */
  readonly exitCode: number | null;
  readonly stdout: T;
  readonly stderr: T;
}

export type CommandOutcome = Outcome<string>;

const MAX_OUTPUT_BYTES = 1024 * 1024;
const GRACE_MS = 1500;

/** Runs a program to its end and returns what it wrote as text; see `runCommandForBytes`. */
export async function runCommand(
  argv: readonly string[],
  options: RunCommandOptions,
): Promise<CommandOutcome> {
  const { exitCode, stdout, stderr } = await runCommandForBytes(argv, options);
  return { exitCode, stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8') };
}

/**
 * Runs a program without a shell, in a process group of its own, and waits for its end. Timeout and abort end the whole tree,
 * first politely, then by force; so does the exit of this process. Contract: whatever the exit code, the outcome is returned.
 * Faults are only a program that cannot be started (E_CONFIG when it is not there), a timeout and an interruption.
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
  const maxBytes = options.maxOutputBytes ?? MAX_OUTPUT_BYTES;
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
  // A process that gives up waiting must not leave the child working behind its back.
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
    // The leader may be gone while a member of its group ignored the polite signal.
    if (stopped !== undefined) tree.signal('SIGKILL');
    if (mark !== undefined) endByEnvironment(`${mark.name}=${mark.value}`);
  }
}

function collect(stream: Readable | null, maxBytes: number): () => Buffer {
  const chunks: Buffer[] = [];
  let kept = 0;
  stream?.on('data', (chunk: Buffer) => {
    const rest = chunk.subarray(0, maxBytes - kept);
    kept += rest.length;
    if (rest.length > 0) chunks.push(rest);
  });
  return () => Buffer.concat(chunks);
}

function timedOut(program: string, timeoutMs: number): Fault {
  return new Fault('E_TIMEOUT', `${program} did not finish within ${timeoutMs} ms and was ended.`, {
    details: { program },
  });
}

function interrupted(program: string): Fault {
  return new Fault('E_INTERRUPTED', `${program} was ended because the command was interrupted.`, {
    details: { program },
  });
}
