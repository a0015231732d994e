import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { lazy } from '../base/lazy.ts';

/** Identifies one process permanently: a pid alone may be reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The boot id and the start time in clock ticks since boot; empty when the system does not report it. */
  readonly startedAt: string;
}

/** Identifies a running process; undefined when no process has this pid or it is a zombie. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!hasProcess(pid)) return undefined;
  const stat = readStat(pid);
  if (stat === undefined) return { pid, startedAt: '' };
  // A zombie keeps its pid until its parent reaps it; in a container without an init that may be never.
  return stat.state === 'Z' || stat.state === 'X' ? undefined : { pid, startedAt: stat.startedAt };
}

/** Whether that process, not a later one with the same pid, is still running. */
export function isSameProcessAlive(identity: ProcessIdentity): boolean {
  const current = identifyProcess(identity.pid);
  if (current === undefined) return false;
  return identity.startedAt === '' || current.startedAt === '' || current.startedAt === identity.startedAt;
}

/** Identifies the scope of pids: the machine and its pid namespace, which differs between containers. */
export function processSpace(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** The pid namespace of a process; empty when the system does not report it. */
export function pidNamespace(pid: number): string {
  try {
    return /\d+/u.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[0] ?? '';
  } catch {
    return '';
  }
}

/** The id of the current boot; empty when the system does not report it. It cannot change while this process runs, and the kernel takes long to answer. */
export const bootId = lazy((): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
});

function hasProcess(pid: number): boolean {
  // Zero and negative numbers mean process groups.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs under another account.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readStat(pid: number): { state: string; startedAt: string } | undefined {
  const found = readProcessState(pid);
  return found && { state: found.state, startedAt: `${bootId()}:${found.startTicks}` };
}

/** The state of a process and when it started, in clock ticks since boot; undefined when the system does not report it. */
export function readProcessState(
  pid: number,
): { readonly state: string; readonly startTicks: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain spaces and parentheses; fields are counted after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTicks: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

/** Whether a process was stopped, by a signal or a debugger: it does nothing until it is continued. */
export function isStopped(pid: number): boolean {
  return isStoppedState(readProcessState(pid)?.state ?? '');
}

export function isStoppedState(state: string): boolean {
  return state === 'T' || state === 't';
}

/** Whether a process is blocked while it opens a named pipe whose other end is not open. */
export function waitsForPipe(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/wchan`, 'latin1') === 'wait_for_partner';
  } catch {
    return false;
  }
}
