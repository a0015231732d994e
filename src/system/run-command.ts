import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { Fault } from '../base/fault.ts';
import { childTree } from './child-tree.ts';
import { endByEnvironment } from './process-tree.ts';
import { programNotStarted } from './program-not-started.ts';

export interface RunCommandOptions {
  readonly cwd: string;
  /** The child's whole environment; see `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** How much of each output is kept; the rest is read and dropped, so that the child never blocks on us. */
  readonly maxOutputBytes?: number;
  /** How long the child may take to end after it was asked to, before it is killed. */
  readonly graceMs?: number;
  /** A variable that only this child and what it starts have. With it, whatever is left of them is ended together with the child. */
  readonly mark?: { readonly name: string; readonly value: string };
}

export interface CommandOutcome {
  /** Null when a signal from elsewhere ended the child. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const MAX_OUTPUT_BYTES = 1024 * 1024;
const GRACE_MS = 1500;
/** How long output may still arrive after the child itself has ended; a stray grandchild may hold the pipe for ever. */
const DRAIN_MS = 500;

/**
 * Runs a program without a shell, in a process group of its own, and waits for its end. Timeout and abort end the whole tree,
 * first politely, then by force; so does the exit of this process. Contract: whatever the exit code, the outcome is returned.
 * Faults are only a program that cannot be started (E_CONFIG when it is not there), a timeout and an interruption.
 */
export async function runCommand(
  argv: readonly string[],
  options: RunCommandOptions,
): Promise<CommandOutcome> {
  const [program = '', ...args] = argv;
  if (options.signal?.aborted === true) throw interrupted(program);
  const { mark } = options;
  const setting = mark && `${mark.name}=${mark.value}`;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...options.env, ...(mark && { [mark.name]: mark.value }) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const maxBytes = options.maxOutputBytes ?? MAX_OUTPUT_BYTES;
  const stdout = collect(child.stdout, maxBytes);
  const stderr = collect(child.stderr, maxBytes);

  const tree = childTree(child, setting);
  let stopped: Fault | undefined;
  let force: NodeJS.Timeout | undefined;
  const stop = (fault: Fault): void => {
    if (stopped !== undefined) return;
    stopped = fault;
    tree.signal('SIGTERM');
    force = setTimeout(() => tree.signal('SIGKILL'), options.graceMs ?? GRACE_MS);
  };
  const timer = setTimeout(() => stop(timedOut(program, options.timeoutMs)), options.timeoutMs);
  const onAbort = (): void => stop(interrupted(program));
  options.signal?.addEventListener('abort', onAbort, { once: true });
  // A process that gives up waiting must not leave the child working behind its back.
  const onExit = (): void => (setting === undefined ? tree.signalGroup('SIGTERM') : tree.signal('SIGTERM'));
  process.once('exit', onExit);
  try {
    const exitCode = await ended(child, program);
    if (stopped !== undefined) throw stopped;
    return { exitCode, stdout: stdout(), stderr: stderr() };
  } finally {
    clearTimeout(timer);
    clearTimeout(force);
    options.signal?.removeEventListener('abort', onAbort);
    process.off('exit', onExit);
    // The leader may be gone while a member of its group ignored the polite signal.
    if (stopped !== undefined) tree.signal('SIGKILL');
    if (setting !== undefined) endByEnvironment(setting);
  }
}

function ended(child: ChildProcess, program: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(programNotStarted(error, program)));
    child.once('exit', () => {
      const drain = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, DRAIN_MS);
      child.once('close', () => clearTimeout(drain));
    });
    child.once('close', (exitCode) => resolve(exitCode));
  });
}

function collect(stream: Readable, maxBytes: number): () => string {
  const chunks: Buffer[] = [];
  let kept = 0;
  stream.on('data', (chunk: Buffer) => {
    const rest = chunk.subarray(0, maxBytes - kept);
    kept += rest.length;
    if (rest.length > 0) chunks.push(rest);
  });
  return () => Buffer.concat(chunks).toString('utf8');
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
