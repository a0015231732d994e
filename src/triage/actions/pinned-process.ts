import { closeSync } from 'node:fs';
import { constants } from 'node:os';
import { Fault } from '../../base/fault.ts';
import { systemCode } from '../../base/system-fault.ts';
import { differenceOf, type ActionContext, type ExpectedProcess, type LiveProcess } from './live-process.ts';

export type SignalName = 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT';

/** A process held by a descriptor: a signal reaches this one or nobody, whatever happens to its pid. */
export interface PinnedProcess {
  readonly pid: number;
  readonly live: LiveProcess;
  readonly hasEnded: () => boolean;
  /** Contract: throws E_FORBIDDEN when the system does not let us; one that has ended is left alone. */
  readonly send: (signal: SignalName) => void;
  readonly release: () => void;
}

export type Pinning =
  | { readonly kind: 'pinned'; readonly process: PinnedProcess }
  | { readonly kind: 'gone' }
  | { readonly kind: 'changed'; readonly difference: string; readonly actual: LiveProcess };

/** Gets hold of the process that a plan meant, or says that it is gone or another one by now. */
export function pinExpected(environment: ActionContext, expected: ExpectedProcess): Pinning {
  const process = pinProcess(environment, expected.pid);
  if (process === undefined) return { kind: 'gone' };
  const difference = differenceOf(expected, process.live);
  if (difference === undefined) return { kind: 'pinned', process };
  process.release();
  return { kind: 'changed', difference, actual: process.live };
}

/**
 * Gets hold of whatever has a pid now. First the descriptor, then the look, then the question whether the descriptor's process still
 * has its pid: only so does the look tell of the same process as the descriptor. The other way round a pid that is used again in
 * between would be hit.
 */
export function pinProcess(
  environment: Pick<ActionContext, 'libc' | 'look'>,
  pid: number,
): PinnedProcess | undefined {
  const descriptor = openDescriptor(environment, pid);
  if (descriptor === undefined) return undefined;
  const live = environment.look(pid);
  if (live === undefined || !isThere(environment, descriptor)) {
    closeSync(descriptor);
    return undefined;
  }
  return {
    pid,
    live,
    hasEnded: () => environment.libc.pidfdHasEnded(descriptor),
    send: (signal) => sendThrough(environment, descriptor, pid, signal),
    release: () => closeSync(descriptor),
  };
}

function openDescriptor({ libc }: Pick<ActionContext, 'libc'>, pid: number): number | undefined {
  try {
    return libc.pidfdOpen(pid);
  } catch (error) {
    // EINVAL: the pid is that of a thread, or not one at all.
    if (isCode(error, 'ESRCH', 'EINVAL', 'ENOENT')) return undefined;
    throw new Fault('E_CONFIG', `This system gives no safe hold on process ${pid} (${systemCode(error)}).`, {
      hint: 'Actions need Linux 5.3 or newer and no filter on pidfd_open; nothing was signalled.',
      details: { pid, reason: systemCode(error) ?? 'unknown' },
      cause: error,
    });
  }
}

/** Signal 0 asks whether the process still has its pid. One that may not be signalled is there all the same. */
function isThere({ libc }: Pick<ActionContext, 'libc'>, descriptor: number): boolean {
  try {
    libc.pidfdSendSignal(descriptor, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

function sendThrough(
  { libc }: Pick<ActionContext, 'libc'>,
  descriptor: number,
  pid: number,
  signal: SignalName,
): void {
  try {
    libc.pidfdSendSignal(descriptor, constants.signals[signal]);
  } catch (error) {
    if (isCode(error, 'ESRCH')) return;
    if (isCode(error, 'EPERM')) {
      throw new Fault('E_FORBIDDEN', `The system does not let this account send ${signal} to ${pid}.`, {
        hint: 'Run it as the owner of the process, or with sudo and --uid.',
        details: { pid, signal, reason: 'EPERM' },
        cause: error,
      });
    }
    throw error;
  }
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes(systemCode(error) ?? '');
}
