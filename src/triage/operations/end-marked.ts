import { sleep } from '../../base/sleep.ts';
import { pinProcess, type PinnedProcess } from '../actions/pinned-process.ts';
import { findMarked, isMarked } from '../proc/find-marked.ts';
import { openLiveProcesses } from '../proc/live-processes.ts';
import { createProcReader, type ProcReader } from '../proc/proc-reader.ts';
import type { TriageEnvironment } from '../triage-environment.ts';

/** A process that was still there. */
export interface EndedProcess {
  readonly pid: number;
  readonly command: string;
  /** False when it may not be signalled, or did not end in time. */
  readonly ended: boolean;
}

export type EndMarkedContext = Pick<
  TriageEnvironment,
  'procRoot' | 'pid' | 'uid' | 'openLibc' | 'monotonicMs'
>;

const COMMAND_CHARACTERS = 200;
/** What forks while it is being ended is found by the next look. */
const LOOKS = 10;
const PATIENCE_MS = 5000;
const POLL_MS = 2;
const START_MS = 20;

/**
 * Ends what still carries a mark, at once: whoever put the mark on it says that nothing of it should be left. Each is held by a
 * descriptor before it is looked at again and signalled, so that nobody else is hit. Never this process, nor those it hangs on.
 * Costs one pass over the account's environments when there is nothing to end.
 */
export async function endMarked(
  environment: EndMarkedContext,
  setting: string,
): Promise<readonly EndedProcess[]> {
  const reader = createProcReader(environment.procRoot);
  const met = new Map<number, EndedProcess>();
  let lookedAgain = false;
  for (let look = 0; look < LOOKS; look += 1) {
    const spared = new Set(listAncestors(environment.pid, reader));
    const marked = findMarked(reader, setting, environment.uid).filter((pid) => !spared.has(pid));
    if (marked.every((pid) => met.get(pid)?.ended === false)) {
      if (met.size === 0 || lookedAgain) break;
      // Who was just being started by one of them showed no environment yet.
      lookedAgain = true;
      await sleep(START_MS);
      continue;
    }
    lookedAgain = false;
    for (const [pid, found] of await endAll(marked, setting, environment, reader)) met.set(pid, found);
  }
  return [...met.values()];
}

async function endAll(
  pids: readonly number[],
  setting: string,
  environment: EndMarkedContext,
  reader: ProcReader,
): Promise<ReadonlyMap<number, EndedProcess>> {
  const live = openLiveProcesses(reader);
  const found = new Map<number, EndedProcess>();
  const waiting: PinnedProcess[] = [];
  for (const pid of pids) {
    const command = (live.commandLine(pid) || live.look(pid)?.comm || '').slice(0, COMMAND_CHARACTERS);
    try {
      // Loaded only when there is something to end, which is next to never.
      const pinned = pinProcess({ libc: await environment.openLibc(), look: live.look }, pid);
      if (pinned === undefined) continue;
      waiting.push(pinned);
      // Only now is it certain that what is looked at is what will be signalled.
      if (pinned.live.uid !== environment.uid || !isMarked(reader, pid, setting)) continue;
      found.set(pid, { pid, command, ended: false });
      pinned.send('SIGKILL');
    } catch {
      // No hold on it, or no right to it: it stays, and is told of.
      found.set(pid, { pid, command, ended: false });
    }
  }
  const stays = ({ pid, hasEnded }: PinnedProcess): boolean => found.has(pid) && !hasEnded();
  const until = environment.monotonicMs() + PATIENCE_MS;
  while (waiting.some(stays) && environment.monotonicMs() < until) await sleep(POLL_MS);
  for (const pinned of waiting) {
    const told = found.get(pinned.pid);
    if (told !== undefined) found.set(pinned.pid, { ...told, ended: !stays(pinned) });
    pinned.release();
  }
  return found;
}

function listAncestors(pid: number, reader: ProcReader): readonly number[] {
  const live = openLiveProcesses(reader);
  const chain: number[] = [];
  for (let current = pid; current > 0 && !chain.includes(current); current = live.look(current)?.ppid ?? 0)
    chain.push(current);
  return chain;
}
