import { Fault } from '../../base/fault.ts';
import { systemCode } from '../../base/system-fault.ts';

const PAUSE_MS = { least: 5000, factor: 4, most: 5 * 60_000 };

/** What fails for every item: disk, memory, open files, permissions. */
const OF_HOST = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EROFS',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
]);

/** The failures of a worker that are not those of its items, but of its host, such as a full disk. */
export interface HostFailures {
  /** Notes how the handling of entries ended. Returns whether the process pauses now, so that another host can have them. */
  readonly ended: (error?: unknown) => boolean;
  /** How long the process takes nothing. */
  readonly pauseMs: () => number;
}

/**
 * A host that fails again and again would take one item after the other, and use up their attempts while healthy hosts are busy. So after each
 * failure without a success in between it pauses longer. Other failures, such as an unreachable remote, change nothing.
 */
export function createHostFailures(now: () => number = () => performance.now()): HostFailures {
  let failures = 0;
  let untilMs = 0;
  return {
    ended: (error) => {
      if (error === undefined) failures = 0;
      const reason = error instanceof Fault ? error.details.reason : systemCode(error);
      if (typeof reason !== 'string' || !OF_HOST.has(reason)) return false;
      failures += 1;
      untilMs = now() + Math.min(PAUSE_MS.most, PAUSE_MS.least * PAUSE_MS.factor ** (failures - 1));
      return true;
    },
    pauseMs: () => Math.max(0, untilMs - now()),
  };
}
