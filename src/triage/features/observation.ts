import type { Origin } from './origin.ts';

/**
 * What somebody still holds on to a process by: a run that goes on, a living agent above it, a terminal with its session's leader,
 * a whole chain of parents, a supervisor. Or does not: only the leader of its session is left, it has made a session of its own, it
 * has nothing, or it carries the mark of a run or of an agent that has ended.
 */
export type Anchor =
  | 'run'
  | 'agent'
  | 'terminal'
  | 'parent'
  | 'service'
  | 'session'
  | 'daemon'
  | 'orphan'
  | 'ended_run'
  | 'ended_agent';

/** The far ends of its standard streams, taken together. */
export type StreamEnds = 'held' | 'file' | 'none' | 'severed' | 'unknown';

export type Activity = 'idle' | 'waiting' | 'working' | 'spinning' | 'stopped' | 'blocked';
export type LossAge = 'whole' | 'under_5m' | 'under_1h' | 'under_6h' | 'under_24h' | 'over_24h';
export type Network = 'serving' | 'connected' | 'listening' | 'none' | 'unknown';
export type Writes = 'moving' | 'logging' | 'locked' | 'open' | 'none' | 'unknown';

/** The process that was cut off and on which another one still hangs. */
export interface Stem {
  readonly pid: number;
  readonly kind: string;
}

/** A process as the model sees it: one cell a block. Features that move together are one cell, so that no fact counts twice. */
export interface Observation {
  readonly state: 'zombie' | 'alive';
  readonly anchor: Anchor;
  /** Which run or agent it says it comes from, and what became of that. */
  readonly origin: Origin | null;
  readonly streams: StreamEnds;
  readonly cwdDeleted: boolean;
  /** Whether it was cut off from its parents and nothing took their place. */
  readonly lost: boolean;
  /** Null when its chain of parents is whole, or when it is itself where the chain was cut. */
  readonly stem: Stem | null;
  readonly signature: string | null;
  /** The kind its signature belongs to; `unknown` without one. */
  readonly kind: string;
  readonly activity: Activity;
  readonly lossAge: LossAge;
  /** Null while the lifeline is whole. */
  readonly lostForMs: number | null;
  readonly network: Network;
  readonly writes: Writes;
  readonly cpuPercent: number;
}
