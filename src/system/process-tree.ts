import { readdirSync, readFileSync } from 'node:fs';
import { pause } from '../base/pause.ts';
import { monotonicMs } from './monotonic-ms.ts';
import { identifyProcess, isSameProcessAlive, type ProcessIdentity } from './process-identity.ts';

/** Lists all descendants of processes, in any group or session; empty when the system does not report them. */
export function listDescendants(...roots: readonly number[]): readonly ProcessIdentity[] {
  const children = Map.groupBy(readParents(), ({ parent }) => parent);
  const found: ProcessIdentity[] = [];
  let level = [...roots];
  while (level.length > 0) {
    level = level.flatMap((parent) => (children.get(parent) ?? []).map(({ pid }) => pid));
    for (const pid of level) {
      const identity = identifyProcess(pid);
      if (identity !== undefined) found.push(identity);
    }
  }
  return found;
}

/**
 * Lists the processes that were started with this variable (`NAME=value`) in their environment, with any parent; processes of other accounts are
 * not visible. Empty when the system does not report them.
 */
export function listByEnvironment(variable: string): readonly ProcessIdentity[] {
  const entry = `\0${variable}\0`;
  return listPids().flatMap((pid) => {
    try {
      const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`;
      return environment.includes(entry) ? (identifyProcess(pid) ?? []) : [];
    } catch {
      return [];
    }
  });
}

const INTERVAL_MS = 2;
const TIMEOUT_MS = 2000;

/**
 * Kills all processes that were started with this variable in their environment, and their descendants: a process that is just
 * starting does not have the variable yet. Processes forked meanwhile are found by the next pass. On return all have exited, or
 * cannot be killed.
 */
export function killByEnvironment(variable: string): void {
  const until = monotonicMs() + TIMEOUT_MS;
  let known: readonly ProcessIdentity[] = [];
  for (;;) {
    const found = [...known.filter(isSameProcessAlive), ...listByEnvironment(variable)];
    if (found.length === 0 || monotonicMs() > until) return;
    known = [...found, ...listDescendants(...found.map(({ pid }) => pid))];
    signalProcesses(known, 'SIGKILL');
    pause(INTERVAL_MS);
  }
}

/** Signals listed processes; skips a process that has exited or whose pid was reused. */
export function signalProcesses(processes: readonly ProcessIdentity[], signal: NodeJS.Signals): void {
  for (const identity of processes) {
    if (!isSameProcessAlive(identity)) continue;
    try {
      process.kill(identity.pid, signal);
    } catch {
      // The process exited before the signal, or belongs to another account.
    }
  }
}

function readParents(): { pid: number; parent: number }[] {
  return listPids().flatMap(readParent);
}

function listPids(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/u.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function readParent(pid: number): { pid: number; parent: number }[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain spaces and parentheses; fields are counted after the last one.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return [{ pid, parent }];
  } catch {
    return [];
  }
}
