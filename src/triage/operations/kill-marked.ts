import { sleep } from '../../base/sleep.ts';
import { pinProcess, type PinnedProcess } from '../actions/pinned-process.ts';
import { findMarked, isMarked } from '../proc/find-marked.ts';
import { openLiveProcesses } from '../proc/live-processes.ts';
import { createProcReader, type ProcReader } from '../proc/proc-reader.ts';
import type { TriageEnvironment } from '../triage-environment.ts';

/** A marked process that was found. */
export interface MarkedProcess {
  readonly pid: number;
  readonly command: string;
  /** False without the permission to signal it, or if it did not exit in time. */
  readonly ended: boolean;
}

export type KillMarkedContext = Pick<
  TriageEnvironment,
  'procRoot' | 'pid' | 'uid' | 'openLibc' | 'monotonicMs'
>;

const COMMAND_CHARACTERS = 200;
/** A process that forks while it is killed is found by the next scan. */
const MAX_SCANS = 10;
const KILL_WAIT_MS = 5000;
const POLL_MS = 2;
const START_MS = 20;

/**
 * Kills all processes of the account whose environment contains a variable (`NAME=value`), without a grace period. Each is pinned by a pidfd and then
 * checked again before the signal, so that no other process is hit. This process and its ancestors are never killed.
 * Costs one scan of the account's process environments when there is nothing to kill.
 */
export async function killMarked(
  environment: KillMarkedContext,
  variable: string,
): Promise<readonly MarkedProcess[]> {
  const reader = createProcReader(environment.procRoot);
  const seen = new Map<number, MarkedProcess>();
  let rescanned = false;
  for (let scan = 0; scan < MAX_SCANS; scan += 1) {
    const spared = new Set(listAncestors(environment.pid, reader));
    const marked = findMarked(reader, variable, environment.uid).filter((pid) => !spared.has(pid));
    if (marked.every((pid) => seen.get(pid)?.ended === false)) {
      if (seen.size === 0 || rescanned) break;
      // A process that one of them just started may not have an environment yet.
      rescanned = true;
      await sleep(START_MS);
      continue;
    }
    rescanned = false;
    for (const [pid, found] of await killAll(marked, variable, environment, reader)) seen.set(pid, found);
  }
  return [...seen.values()];
}

async function killAll(
  pids: readonly number[],
  variable: string,
  environment: KillMarkedContext,
  reader: ProcReader,
): Promise<ReadonlyMap<number, MarkedProcess>> {
  const live = openLiveProcesses(reader);
  const found = new Map<number, MarkedProcess>();
  const waiting: PinnedProcess[] = [];
  for (const pid of pids) {
    const command = (live.commandLine(pid) || live.readProcess(pid)?.comm || '').slice(0, COMMAND_CHARACTERS);
    try {
      // Loaded only when there is a process to kill, which is rare.
      const pinned = pinProcess({ libc: await environment.openLibc(), readProcess: live.readProcess }, pid);
      if (pinned === undefined) continue;
      waiting.push(pinned);
      // Check again now that the process is pinned.
      if (pinned.live.uid !== environment.uid || !isMarked(reader, pid, variable)) continue;
      found.set(pid, { pid, command, ended: false });
      pinned.send('SIGKILL');
    } catch {
      // The process cannot be pinned or signalled: report it as not ended.
      found.set(pid, { pid, command, ended: false });
    }
  }
  const isRunning = ({ pid, hasEnded }: PinnedProcess): boolean => found.has(pid) && !hasEnded();
  const until = environment.monotonicMs() + KILL_WAIT_MS;
  while (waiting.some(isRunning) && environment.monotonicMs() < until) await sleep(POLL_MS);
  for (const pinned of waiting) {
    const reported = found.get(pinned.pid);
    if (reported !== undefined) found.set(pinned.pid, { ...reported, ended: !isRunning(pinned) });
    pinned.release();
  }
  return found;
}

function listAncestors(pid: number, reader: ProcReader): readonly number[] {
  const live = openLiveProcesses(reader);
  const chain: number[] = [];
  for (
    let current = pid;
    current > 0 && !chain.includes(current);
    current = live.readProcess(current)?.ppid ?? 0
  )
    chain.push(current);
  return chain;
}
