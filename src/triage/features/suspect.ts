import { hasEnded, type ProcessIndex, type TreeFacts } from './process-index.ts';

/** A process with at least this CPU share over the window is a suspect even if it is not orphaned. */
export const BUSY_SHARE = 0.5;

/**
 * Returns, from cheap facts alone, whether deep facts of a process are needed: it has exited, is orphaned without an open terminal, is
 * stopped, or uses much CPU. All other processes are still connected to an owner (they have a lifeline) and count as useful.
 */
export function isSuspect<P extends TreeFacts>(
  index: ProcessIndex<P>,
  process: P,
  cpuShare: number,
): boolean {
  if (process.kernel || process.pid <= 1) return false;
  if (hasEnded(process) || process.state === 'T' || cpuShare >= BUSY_SHARE) return true;
  if (index.topOf(process) === undefined) return false;
  return process.tty === 0 || !index.leaderAlive(process);
}
