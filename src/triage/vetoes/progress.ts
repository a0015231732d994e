import { cpuShare } from '../features/activity.ts';
import { ageMs as ageOf } from '../features/observe.ts';
import { describeSpan, hasMarkOfDeed, MINUTE_MS, type FindVeto, type VetoFacts } from './veto.ts';

/** Fewer ticks can be an error of the clock. */
const MINIMUM_TICKS = 3;

/**
 * The process reads, writes, computes or starts processes. CPU time alone does not count for a process with deed's mark, whose owner is known to
 * have ended, and for a worker of a test runner that has ended: both can spin indefinitely.
 */
export const progressVeto: FindVeto = (facts) => {
  const limits = limitsOf(facts);
  const { deep, process, snapshot } = facts;
  if (deep.ioBytesDelta === null && process.state !== 'Z') return 'its I/O cannot be read';
  if ((deep.ioBytesDelta ?? 0) >= limits.ioBytes && limits.ioBytes > 0)
    return `it read or wrote ${deep.ioBytesDelta} bytes within ${describeSpan(snapshot.windowMs)}`;
  return findNewChild(facts, limits.windowMinutes * MINUTE_MS) ?? findCpuUse(facts, limits);
};

type Limits = VetoFacts['parameters']['vetoes']['progress'][string];

function limitsOf({ kind, parameters }: VetoFacts): Limits {
  const { progress } = parameters.vetoes;
  return (
    progress[kind?.name ?? 'default'] ??
    progress['default'] ?? { windowMinutes: 10, cpuShare: 0.05, ioBytes: 4096 }
  );
}

function findNewChild(facts: VetoFacts, windowMs: number): string | undefined {
  // A process with a mark may be seconds old, and its children with it.
  if (hasMarkOfDeed(facts)) return undefined;
  const { index, process, snapshot } = facts;
  for (const child of index.descendantsOf(process.pid)) {
    const age = ageOf(child, snapshot);
    if (age < windowMs) return `it started process ${child.pid} ${describeSpan(age)} ago`;
  }
  return undefined;
}

function findCpuUse(facts: VetoFacts, { cpuShare: limit, windowMinutes }: Limits): string | undefined {
  if (hasMarkOfDeed(facts) || facts.kind?.name === 'test_worker') return undefined;
  const { process, snapshot, earlier } = facts;
  const share = cpuShare(process, snapshot);
  if ((process.cpuTicksDelta ?? 0) >= MINIMUM_TICKS && share >= limit)
    return `it uses ${Math.round(share * 100)} % CPU`;
  if (earlier === undefined) return undefined;
  const elapsedMs = snapshot.takenAtMs - earlier.atMs;
  if (elapsedMs <= 0 || elapsedMs > windowMinutes * MINUTE_MS) return undefined;
  const ticks = process.cpuTicks - earlier.cpuTicks;
  const used = ticks / ((elapsedMs / 1000) * snapshot.ticksPerSecond);
  return ticks >= MINIMUM_TICKS && used >= limit
    ? `it used ${Math.round(used * 100)} % CPU over the last ${describeSpan(elapsedMs)}`
    : undefined;
}
