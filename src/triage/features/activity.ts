import type { ProcessFacts, ProcessSnapshot } from '../process-snapshot.ts';
import type { Activity } from './observation.ts';

/** Minimum CPU share of a process that counts as spinning if it does no I/O. */
const SPINNING_SHARE = 0.8;
const SPINNING_TICKS = 3;
const WORKING_SHARE = 0.05;
/** Less I/O than this over the window counts as a heartbeat, not as work. */
const WORKING_BYTES = 4096;

type Timing = Pick<ProcessSnapshot, 'windowMs' | 'ticksPerSecond'>;

/** The share of one CPU that the process used over the window. */
export function cpuShare(
  process: Pick<ProcessFacts, 'cpuTicksDelta'>,
  { windowMs, ticksPerSecond }: Timing,
): number {
  return (process.cpuTicksDelta ?? 0) / ((windowMs / 1000) * ticksPerSecond);
}

/** On a busy machine a spinning process gets less than one CPU, but it never yields. */
function neverYields({ state, cpuTicksDelta, deep }: ProcessFacts): boolean {
  return state === 'R' && (cpuTicksDelta ?? 0) >= SPINNING_TICKS && deep?.contextSwitchesDelta === 0;
}

/** State D can be a short wait for a disk; a stuck process did not run at all over the window. */
function isStuck({ state, cpuTicksDelta, deep }: ProcessFacts): boolean {
  return state === 'D' && (cpuTicksDelta ?? 0) === 0 && (deep?.contextSwitchesDelta ?? 0) === 0;
}

/** Classifies what a process did over the window. Unknown I/O counts as work, so that missing data never counts against a process. */
export function findActivity(process: ProcessFacts, timing: Timing): Activity {
  if (process.state === 'T' || process.state === 't') return 'stopped';
  const share = cpuShare(process, timing);
  if (isStuck(process)) return 'blocked';
  const bytes = process.deep?.ioBytesDelta ?? null;
  const withoutIo = bytes !== null && bytes < WORKING_BYTES;
  if (share >= SPINNING_SHARE) return withoutIo ? 'spinning' : 'working';
  if (withoutIo && neverYields(process)) return 'spinning';
  if (share >= WORKING_SHARE || (bytes ?? 0) >= WORKING_BYTES) return 'working';
  const ran =
    (process.deep?.contextSwitchesDelta ?? 0) > 0 || (bytes ?? 0) > 0 || (process.cpuTicksDelta ?? 0) > 0;
  return ran ? 'waiting' : 'idle';
}
