import type { ProcessFacts, Snapshot } from '../process-snapshot.ts';
import type { Activity } from './observation.ts';

/** Share of one processor from which a process that moves no bytes spins. */
const SPINNING_SHARE = 0.8;
const SPINNING_TICKS = 3;
const WORKING_SHARE = 0.05;
/** Fewer bytes than this over the window are a heartbeat, not work. */
const WORKING_BYTES = 4096;

type Timing = Pick<Snapshot, 'windowMs' | 'ticksPerSecond'>;

/** Share of one processor over the window. */
export function cpuShare(
  process: Pick<ProcessFacts, 'cpuTicksDelta'>,
  { windowMs, ticksPerSecond }: Timing,
): number {
  return (process.cpuTicksDelta ?? 0) / ((windowMs / 1000) * ticksPerSecond);
}

/** On a crowded machine one that spins gets less than a processor, but it never lets go of it. */
function neverRests({ state, cpuTicksDelta, deep }: ProcessFacts): boolean {
  return state === 'R' && (cpuTicksDelta ?? 0) >= SPINNING_TICKS && deep?.contextSwitchesDelta === 0;
}

/** A passing wait for a disk is in state D as well; who is stuck there has not run at all. */
function isStuck({ state, cpuTicksDelta, deep }: ProcessFacts): boolean {
  return state === 'D' && (cpuTicksDelta ?? 0) === 0 && (deep?.contextSwitchesDelta ?? 0) === 0;
}

/** What a process did over the window. Unknown input and output count as work: a judgement must not rest on what was not seen. */
export function findActivity(process: ProcessFacts, timing: Timing): Activity {
  if (process.state === 'T' || process.state === 't') return 'stopped';
  const share = cpuShare(process, timing);
  if (isStuck(process)) return 'blocked';
  const bytes = process.deep?.ioBytesDelta ?? null;
  const still = bytes !== null && bytes < WORKING_BYTES;
  if (share >= SPINNING_SHARE) return still ? 'spinning' : 'working';
  if (still && neverRests(process)) return 'spinning';
  if (share >= WORKING_SHARE || (bytes ?? 0) >= WORKING_BYTES) return 'working';
  const stirred =
    (process.deep?.contextSwitchesDelta ?? 0) > 0 || (bytes ?? 0) > 0 || (process.cpuTicksDelta ?? 0) > 0;
  return stirred ? 'waiting' : 'idle';
}
