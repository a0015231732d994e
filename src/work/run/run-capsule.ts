/** One change of the tree, in exactly one of the four deltas. */
export interface Delta {
  readonly type: 'add' | 'delete' | 'modify';
  readonly target: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly hash?: string | undefined;
}

/** O: the work itself. Pi: projections, such as declared outputs. Lambda: rules. Q: tests and invariants. */
export interface Deltas {
  readonly deltaO: readonly Delta[];
  readonly deltaPi: readonly Delta[];
  readonly deltaLambda: readonly Delta[];
  readonly deltaQ: readonly Delta[];
}

/** One action of an agent, as reported by the agent or its event stream. */
export interface RecordedToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly output?: unknown;
  readonly startTime: string;
  readonly endTime?: string | undefined;
  readonly status: 'pending' | 'success' | 'error';
  readonly error?: string | undefined;
}

export interface CapsuleArtifact {
  readonly id: string;
  readonly type: 'file' | 'edit' | 'create' | 'delete' | 'command';
  readonly path?: string | undefined;
  readonly contentHash?: string | undefined;
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>> | undefined;
}

export type CapsuleStatus = 'pending' | 'running' | 'completed' | 'failed' | 'denied' | 'rolled_back';

/** All facts about one run when it is evaluated. */
export interface RunCapsule extends Deltas {
  readonly id: string;
  readonly parentRunId?: string | undefined;
  /** Nanoseconds since the epoch, as a string: the number is too large for JSON. */
  readonly t_ns: string;
  readonly timestamp_iso: string;
  readonly status: CapsuleStatus;
  readonly toolTrace: readonly RecordedToolCall[];
  readonly artifacts: readonly CapsuleArtifact[];
  readonly runHash: string;
  readonly previousRunHash: string;
  readonly admitted: boolean;
  readonly denialReason?: string | undefined;
}
