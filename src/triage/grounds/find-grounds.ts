import { ownMember } from '../../base/own-member.ts';
import { citeOrigin } from '../features/cite-origin.ts';
import type { Observation } from '../features/observation.ts';
import { hasEnded, type ProcessIndex } from '../features/process-index.ts';
import type { Kind } from '../kinds/find-kind.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import type { ProcessFacts } from '../process-snapshot.ts';
import { ownerEndClosed } from './owner-end.ts';

/** Positive evidence that the owner of a process is gone; without it there is no automatic action, regardless of the odds. */
export type Grounds =
  | { readonly found: true; readonly reason: string }
  | { readonly found: false; readonly reason: string };

/** When a process was first seen orphaned, and when it was last seen with its owner; null when it never was. */
export interface LossRecord {
  readonly firstLostMs: number;
  readonly lastOwnedMs: number | null;
}

export interface GroundsFacts {
  readonly process: ProcessFacts;
  readonly observation: Observation;
  readonly kind: Kind | undefined;
  readonly ageMs: number;
  readonly takenAtMs: number;
  readonly loss: LossRecord | undefined;
  readonly index: ProcessIndex<ProcessFacts>;
  readonly parameters: Pick<Parameters, 'grounds'>;
}

const MINUTE_MS = 60_000;

/**
 * Grounds are deed's own mark of a run or agent that has ended; or the end of parent, session leader and terminal, seen in both samples
 * and for the grace time, of a program that serves only its owner.
 */
export function findGrounds(facts: GroundsFacts): Grounds {
  const { observation } = facts;
  if (observation.anchor === 'ended_run' || observation.anchor === 'ended_agent')
    return { found: true, reason: citeOrigin(observation) ?? 'the run or agent that started it has ended' };
  const missing = findMissing(facts);
  if (missing !== undefined) return { found: false, reason: missing };
  const { kind } = facts;
  return {
    found: true,
    reason: `its owner is gone, and it is ${kind?.words ?? 'a program'}, which serves only its owner${describeLoss(facts)}`,
  };
}

function findMissing(facts: GroundsFacts): string | undefined {
  const { process, kind } = facts;
  return (
    findOwner(facts) ??
    (process.deep?.use?.lostBefore === true ? undefined : 'it was not orphaned in both samples') ??
    (kind === undefined ? 'it is not known whether this program serves only its owner' : undefined) ??
    (kind?.role === 'owner_bound'
      ? undefined
      : `it is ${kind?.words}, which may serve others than its owner`) ??
    findGrace(facts)
  );
}

/** Returns what is left of the owner: parent, session leader or terminal. */
function findOwner({ process, observation, index }: GroundsFacts): string | undefined {
  if (hasEnded(process)) return 'it has already exited';
  if (!observation.lost) return ownMember(OWNERS, observation.anchor) ?? 'its owner is running';
  const top = index.topOf(process);
  if (top === undefined || !index.isAdopted(top)) return 'its parent is running';
  if (observation.anchor === 'session') return 'its session leader is running';
  if (process.tty !== 0 && index.leaderAlive(process)) return 'its terminal is open';
  return undefined;
}

const OWNERS: Readonly<Record<string, string>> = {
  run: 'its run is active',
  agent: 'its agent is running',
  terminal: 'its terminal is open',
  parent: 'its parent is running',
  service: 'a supervisor manages it',
};

/**
 * Where the time of the loss is unknown, the age of the process is used if the owner's end of its streams is closed. A process that was never
 * seen with an owner may have been started without one, for example by cron.
 */
function findGrace(facts: GroundsFacts): string | undefined {
  const { process, kind, ageMs, takenAtMs, loss, parameters } = facts;
  const { graceMinutes } = parameters.grounds;
  const graceMs = graceMinutes * MINUTE_MS;
  const closed = process.deep !== null && ownerEndClosed(process.deep, kind);
  // A process in its own session may have detached itself on purpose.
  if (process.session === process.pid && !closed)
    return 'it has its own session, and the other end of its stdin is not closed';
  if (hasPassed(facts)) return undefined;
  if (loss !== undefined && loss.lastOwnedMs !== null && takenAtMs - loss.lastOwnedMs < graceMs)
    return `its owner ended less than ${graceMinutes} min ago`;
  if (!closed) return 'when its owner ended is unknown, and the other end of its stdin is not closed';
  return ageMs >= graceMs ? undefined : `its owner ended less than ${graceMinutes} min ago`;
}

/** Whether the grace time has passed since the process was first seen without the owner that it was seen with. */
function hasPassed({ takenAtMs, loss, parameters }: GroundsFacts): boolean {
  if (loss === undefined || loss.lastOwnedMs === null) return false;
  return takenAtMs - loss.firstLostMs >= parameters.grounds.graceMinutes * MINUTE_MS;
}

/** Without a record of the loss only the age of the process is known. */
function describeLoss(facts: GroundsFacts): string {
  if (hasPassed(facts)) return '';
  const minutes = Math.floor(facts.ageMs / MINUTE_MS);
  const age = minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
  return `; when its owner ended is unknown, and the process is ${age} old`;
}
