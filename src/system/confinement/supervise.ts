import { constants } from 'node:os';
import { pause } from '../../base/pause.ts';
import { inheritEnvironment } from '../child-environment.ts';
import { loadLibrary, orThrow } from '../libc/libc.ts';
import { listDescendants, signalProcesses } from '../process-tree.ts';
import { startChild } from '../start-child.ts';

const PR_SET_CHILD_SUBREAPER = 36;
const PARENT_CHECK_MS = 50;
const KILL_AGAIN_MS = 2;
const SIGNAL_BASE = 128;

/**
 * Runs a command and terminates everything it started before it exits itself, also processes that left their session and dropped
 * their environment: orphans become children of this process. If the parent exits, everything is terminated at once. Returns the exit
 * code, as a shell would.
 */
export async function supervise(argv: readonly string[]): Promise<number> {
  const library = await loadLibrary();
  orThrow('prctl', library.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0));
  const parent = process.ppid;
  // Descriptor 3 reports to the parent when the command runs.
  const stdio = [0, 1, 2, 3];
  const child = startChild(argv, { cwd: process.cwd(), env: inheritEnvironment(process.env), stdio });
  const watch = setInterval(() => {
    if (process.ppid !== parent) killDescendants();
  }, PARENT_CHECK_MS);
  const { exitCode, signal } = await child.exited;
  clearInterval(watch);
  killDescendants();
  return exitCode ?? SIGNAL_BASE + constants.signals[signal ?? 'SIGKILL'];
}

/** Kills until none is left: processes forked meanwhile are found by the next pass. */
function killDescendants(): void {
  for (;;) {
    const below = listDescendants(process.pid).filter(({ pid }) => pid !== process.pid);
    if (below.length === 0) return;
    signalProcesses(below, 'SIGKILL');
    pause(KILL_AGAIN_MS);
  }
}
