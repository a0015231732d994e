import type { Lookup } from '../../base/lookup.ts';
import type { ProcessFacts, ProcessSnapshot } from '../process-snapshot.ts';
import { cpuShare, findActivity } from './activity.ts';
import { findLifeline, type Lifeline, type LifelineContext } from './lifeline.ts';
import type { LossAge, Network, Observation, Writes } from './observation.ts';
import { ownWrites } from './own-writes.ts';
import { hasEnded } from './process-index.ts';

export interface ObserveContext extends LifelineContext {
  /** When a process was first seen orphaned, by `pid:startTicks`. The default is half its age: the mean of a uniform distribution. */
  readonly lostSince: Lookup<number>;
}

const MINUTE_MS = 60_000;

/** Reduces a process to its features. */
export function observe(process: ProcessFacts, context: ObserveContext): Observation {
  const { snapshot, match } = context;
  const lifeline = findLifeline(process, context);
  const signature = match(process.command, process.comm);
  const lostForMs = lifeline.lost ? timeSinceLoss(process, lifeline, context) : null;
  return {
    state: hasEnded(process) ? 'zombie' : 'alive',
    ...lifeline,
    signature: signature?.name ?? null,
    kind: signature?.kind ?? 'unknown',
    activity: findActivity(process, snapshot),
    lossAge: lostForMs === null ? 'whole' : lossAge(lostForMs),
    lostForMs,
    network: findNetwork(process),
    writes: findWrites(process, snapshot),
    cpuPercent: cpuShare(process, snapshot) * 100,
  };
}

/** Returns the age of a process at the time of the snapshot. */
export function ageMs(process: Pick<ProcessFacts, 'startTicks'>, snapshot: ProcessSnapshot): number {
  const startedAtMs = (snapshot.bootTimeSeconds + process.startTicks / snapshot.ticksPerSecond) * 1000;
  return Math.max(0, snapshot.takenAtMs - startedAtMs);
}

function timeSinceLoss(
  process: ProcessFacts,
  lifeline: Lifeline,
  { snapshot, lostSince }: ObserveContext,
): number {
  const since = lostSince.get(`${process.pid}:${process.startTicks}`);
  const age = ageMs(process, snapshot);
  const known = since === undefined ? age / 2 : Math.min(age, Math.max(0, snapshot.takenAtMs - since));
  // Its run or agent was running then, so it cannot have been orphaned earlier.
  const ownerSeenAtMs = Date.parse(ownerLastSeenAt(lifeline) ?? '');
  if (Number.isNaN(ownerSeenAtMs)) return known;
  return Math.min(known, Math.max(0, snapshot.takenAtMs - ownerSeenAtMs));
}

function ownerLastSeenAt({ anchor, origin }: Lifeline): string | null | undefined {
  if (anchor === 'ended_run') return origin?.run?.ended_at;
  return anchor === 'ended_agent' ? origin?.agent?.last_seen_at : null;
}

function lossAge(milliseconds: number): LossAge {
  if (milliseconds < 5 * MINUTE_MS) return 'under_5m';
  if (milliseconds < 60 * MINUTE_MS) return 'under_1h';
  if (milliseconds < 6 * 60 * MINUTE_MS) return 'under_6h';
  return milliseconds < 24 * 60 * MINUTE_MS ? 'under_24h' : 'over_24h';
}

function findNetwork({ deep }: ProcessFacts): Network {
  if (deep === null || !deep.descriptorsReadable) return 'unknown';
  if (deep.served > 0) return 'serving';
  if (deep.connections > 0) return 'connected';
  return deep.listeningPorts.length > 0 ? 'listening' : 'none';
}

/** moving: it writes to its own file, or did recently. logging: only its standard streams grow. An idle log is covered by the lifeline. */
function findWrites(process: ProcessFacts, snapshot: ProcessSnapshot): Writes {
  const { deep } = process;
  if (deep === null || !deep.descriptorsReadable) return 'unknown';
  const own = ownWrites(process, snapshot);
  if (own.some(({ fd }) => fd > 2)) return 'moving';
  if (own.length > 0) return 'logging';
  if (deep.locks > 0) return 'locked';
  return deep.writes.some(({ fd, deleted }) => fd > 2 && !deleted) ? 'open' : 'none';
}
