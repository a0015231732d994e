import type { Origin } from './origin.ts';

/**
 * What connects a process to a user or supervisor: an active run, a running agent, an open terminal, a complete chain of parents, or a
 * service supervisor. The other values are orphans: only the session leader is left, the process has its own session, nothing is left,
 * or its environment names a run or agent that has ended.
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

/**
 * The combined state of the other ends of the standard streams of a process: a running process uses one of them (`held`), they are files,
 * there are no other ends, or the processes there have exited (`severed`).
 */
export type StreamEnds = 'held' | 'file' | 'none' | 'severed' | 'unknown';

export type Activity = 'idle' | 'waiting' | 'working' | 'spinning' | 'stopped' | 'blocked';
/** How long a process has been orphaned; `whole` if it is not orphaned. */
export type LossAge = 'whole' | 'under_5m' | 'under_1h' | 'under_6h' | 'under_24h' | 'over_24h';
export type Network = 'serving' | 'connected' | 'listening' | 'none' | 'unknown';
/** `moving`: it writes to its own file, or did recently. */
export type Writes = 'moving' | 'logging' | 'locked' | 'open' | 'none' | 'unknown';

/** The orphaned ancestor that a process runs under. */
export interface OrphanedAncestor {
  readonly pid: number;
  readonly kind: string;
}

/**
 * The features of a process, one value per likelihood table. Correlated features form one value, so that no fact counts twice. Names and
 * values appear in stored plans and in the tables of the parameters file, so they cannot be renamed.
 */
export interface Observation {
  readonly state: 'zombie' | 'alive';
  readonly anchor: Anchor;
  /** The run or agent that its environment names, and the state of that. */
  readonly origin: Origin | null;
  readonly streams: StreamEnds;
  readonly cwdDeleted: boolean;
  /** Whether it is orphaned and has no other anchor. */
  readonly lost: boolean;
  /** Null when its chain of parents is complete, or when it is the orphaned process itself. */
  readonly stem: OrphanedAncestor | null;
  readonly signature: string | null;
  /** The kind of the signature that the process matches; `unknown` if it matches none. */
  readonly kind: string;
  readonly activity: Activity;
  readonly lossAge: LossAge;
  /** Null unless the process is orphaned. */
  readonly lostForMs: number | null;
  readonly network: Network;
  readonly writes: Writes;
  readonly cpuPercent: number;
}
