import { readdirSync, readFileSync } from 'node:fs';
import { pause } from '../base/pause.ts';
import { monotonicMs } from './monotonic-ms.ts';
import { identifyProcess, isSameProcessAlive, type ProcessIdentity } from './process-identity.ts';

/** Lists the processes below others, however deep and in whatever group or session; empty where the system does not tell. */
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
 * Lists the processes that were started with this setting in their environment, whoever their parent is now; those of other
 * accounts are not seen. Empty where the system does not tell.
 */
export function listByEnvironment(setting: string): readonly ProcessIdentity[] {
  const wanted = `\0${setting}\0`;
  return listPids().flatMap((pid) => {
    try {
      const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`;
      return environment.includes(wanted) ? (identifyProcess(pid) ?? []) : [];
    } catch {
      return [];
    }
  });
}

const LOOK_MS = 2;
const PATIENCE_MS = 2000;

/**
 * Ends all that were started with this setting in their environment, and all below them: who is just being started shows none yet.
 * What forks while it is being killed is found by the next look. On return they are gone, or cannot be ended.
 */
export function endByEnvironment(setting: string): void {
  const until = monotonicMs() + PATIENCE_MS;
  let known: readonly ProcessIdentity[] = [];
  for (;;) {
    const found = [...known.filter(isSameProcessAlive), ...listByEnvironment(setting)];
    if (found.length === 0 || monotonicMs() > until) return;
    known = [...found, ...listDescendants(...found.map(({ pid }) => pid))];
    signalProcesses(known, 'SIGKILL');
    pause(LOOK_MS);
  }
}

/** Signals processes that were listed before; one that ended meanwhile, or whose number another has now, is left alone. */
export function signalProcesses(processes: readonly ProcessIdentity[], signal: NodeJS.Signals): void {
  for (const identity of processes) {
    if (!isSameProcessAlive(identity)) continue;
    try {
      process.kill(identity.pid, signal);
    } catch {
      // It ended between the look and the signal, or is another account's.
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
    // The name in parentheses may itself hold spaces and parentheses; fields are counted after the last one.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return [{ pid, parent }];
  } catch {
    return [];
  }
}
