import { hasEnded, type ProcessIndex, type TreeFacts } from './process-index.ts';

/** From this share of one processor on, over the window, a process is worth a look whoever holds it. */
export const BUSY_SHARE = 0.5;

/**
 * Tells by cheap facts alone whether a process deserves a deep look: it has ended, was cut off from its parents and sits on no
 * living terminal, was stopped, or burns a processor. All others have a living lifeline and are useful as far as anyone can tell.
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
