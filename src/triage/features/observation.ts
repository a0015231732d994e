/** What somebody still holds on to a process by, the strongest first. */
export type Anchor = 'run' | 'agent' | 'terminal' | 'parent' | 'service' | 'session' | 'daemon' | 'orphan';

/** The far ends of its standard streams, taken together. */
export type StreamEnds = 'held' | 'file' | 'none' | 'severed' | 'unknown';

export type Activity = 'idle' | 'waiting' | 'working' | 'spinning' | 'stopped' | 'blocked';
export type LossAge = 'whole' | 'under_5m' | 'under_1h' | 'under_6h' | 'under_24h' | 'over_24h';
export type Network = 'serving' | 'connected' | 'listening' | 'none' | 'unknown';
export type Writes = 'moving' | 'locked' | 'open' | 'none' | 'unknown';

/** A process as the model sees it: one cell a block. Features that move together are one cell, so that no fact counts twice. */
export interface Observation {
  readonly state: 'zombie' | 'alive';
  readonly anchor: Anchor;
  readonly streams: StreamEnds;
  readonly cwdDeleted: boolean;
  /** Whether nothing living holds on to it: the anchor is a daemon's own session or nothing at all, or its run has ended. */
  readonly lost: boolean;
  /** Tagged with a run that has ended. */
  readonly runEnded: boolean;
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
