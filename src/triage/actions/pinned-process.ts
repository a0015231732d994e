import { closeSync } from 'node:fs';
import { constants } from 'node:os';
import { Fault } from '../../base/fault.ts';
import { systemCode } from '../../base/system-fault.ts';
import { differenceOf, type ActionContext, type ExpectedProcess, type LiveProcess } from './live-process.ts';

export type SignalName = 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT';

/** A process pinned by a pidfd: a signal reaches exactly this process or none, even if its pid is reused. */
export interface PinnedProcess {
  readonly pid: number;
  readonly live: LiveProcess;
  readonly hasEnded: () => boolean;
  /** Contract: throws E_FORBIDDEN without the permission to signal; does nothing if the process has exited. */
  readonly send: (signal: SignalName) => void;
  readonly release: () => void;
}

export type Pinning =
  | { readonly kind: 'pinned'; readonly process: PinnedProcess }
  | { readonly kind: 'gone' }
  | { readonly kind: 'changed'; readonly difference: string; readonly actual: LiveProcess };

/** Pins the process of a plan, or reports that it has exited or is a different one. */
export function pinExpected(environment: ActionContext, expected: ExpectedProcess): Pinning {
  const process = pinProcess(environment, expected.pid);
  if (process === undefined) return { kind: 'gone' };
  const difference = differenceOf(expected, process.live);
  if (difference === undefined) return { kind: 'pinned', process };
  process.release();
  return { kind: 'changed', difference, actual: process.live };
}

/**
 * Pins the process that currently has a pid. The order matters: open the pidfd, read the process, then check that the process of the
 * pidfd still exists. Only then do both refer to the same process. In any other order, a pid that is reused in between would be hit.
 */
export function pinProcess(
  environment: Pick<ActionContext, 'libc' | 'readProcess'>,
  pid: number,
): PinnedProcess | undefined {
  const descriptor = openDescriptor(environment, pid);
  if (descriptor === undefined) return undefined;
  const live = environment.readProcess(pid);
  if (live === undefined || !stillExists(environment, descriptor)) {
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
    // EINVAL: a thread id, or an invalid pid.
    if (isCode(error, 'ESRCH', 'EINVAL', 'ENOENT')) return undefined;
    throw new Fault('E_CONFIG', `Cannot open a pidfd for process ${pid} (${systemCode(error)}).`, {
      hint: 'Actions require Linux 5.3 or newer without a filter on pidfd_open. No signal was sent.',
      details: { pid, reason: systemCode(error) ?? 'unknown' },
      cause: error,
    });
  }
}

/** Signal 0 checks that the process exists. EPERM also means that it exists. */
function stillExists({ libc }: Pick<ActionContext, 'libc'>, descriptor: number): boolean {
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
      throw new Fault('E_FORBIDDEN', `Permission denied: cannot send ${signal} to process ${pid}.`, {
        hint: 'Run as the owner of the process, or with sudo and --uid.',
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
