import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Names one process for good: a pid alone is used again after the process has ended. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start in clock ticks after boot, with the boot's own id; empty where the system does not tell. */
  readonly startedAt: string;
}

/** Identifies a process that runs now; nothing when no process has this pid, or when it has ended and only waits to be collected. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!hasProcess(pid)) return undefined;
  const stat = readStat(pid);
  if (stat === undefined) return { pid, startedAt: '' };
  // A zombie keeps its pid until its parent looks; in a container without an init that may be never.
  return stat.state === 'Z' || stat.state === 'X' ? undefined : { pid, startedAt: stat.startedAt };
}

/** Tells whether that very process, not a later one with its pid, still runs. */
export function isSameProcessAlive(identity: ProcessIdentity): boolean {
  const current = identifyProcess(identity.pid);
  if (current === undefined) return false;
  return identity.startedAt === '' || current.startedAt === '' || current.startedAt === identity.startedAt;
}

/** Names where pids have their meaning: the machine, and on it the pid namespace, of which a container has its own. */
export function processSpace(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** The number of the pid namespace that a process is in; empty where the system does not tell. */
export function pidNamespace(pid: number): string {
  try {
    return /\d+/u.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[0] ?? '';
  } catch {
    return '';
  }
}

/** Names the time since the machine was started; empty where the system does not tell. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function hasProcess(pid: number): boolean {
  // To the system, zero and negative numbers are groups of processes.
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
  try {
    const boot = bootId();
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may itself hold spaces and parentheses; fields are counted after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startedAt: `${boot}:${fields[19] ?? ''}` };
  } catch {
    return undefined;
  }
}
