import type { StagedWrite } from './staged-write.ts';

/** A run in the journal. */
export interface RecordedRun {
  readonly runId: string;
  readonly jobId: string;
  readonly itemId: string;
  readonly agentId: string;
  readonly description: string;
  /** The path of the tree that the run works on. */
  readonly root: string;
  /** The task of the item; without it, a new task is created. */
  readonly taskId?: string | undefined;
  readonly timeoutMs: number;
}

/** A file that a run promoted. */
export interface RunFile {
  /** Absolute, in the user's tree. */
  readonly path: string;
  readonly sizeBytes: number | null;
  readonly blake3: string | null;
}

/** The outcome of a run, as in its receipt. */
export interface RunOutcome extends RecordedRun {
  readonly phase: 'tranche' | 'reconcile' | 'rollback';
  readonly status: 'success' | 'failure' | 'denied' | 'timeout' | 'rolled_back';
  /** Whether the run was started, rather than denied because of a dependency. */
  readonly began: boolean;
  /** Whether it was interrupted, so that another run may succeed. */
  readonly interrupted: boolean;
  readonly reason?: string | undefined;
  readonly receiptId: string;
  readonly receiptHash: string;
  readonly files: readonly RunFile[];
  /** Journal writes of the agent: committed with the promotion, or to be committed now. */
  readonly writes: readonly StagedWrite[];
  readonly counts: { readonly created: number; readonly modified: number; readonly deleted: number };
  readonly tests?: { readonly passed: number; readonly failed: number } | undefined;
}

/** A task of a job. */
export interface JobTask {
  readonly taskId: string;
  readonly agentId: string;
  /** An earlier run that already did the same item on the same state. */
  readonly doneBy?: string | undefined;
}

/** The tasks of a job, claimed from its start so that no other agent starts them. */
export interface JobTasks {
  readonly jobId: string;
  readonly tasks: readonly JobTask[];
  /** Whether the job stopped before it ended, so that it can be resumed. */
  readonly isInterrupted: boolean;
  /** The total timeout of the job. */
  readonly timeoutMs: number;
}

/**
 * Port: records runs for other agents and for people. Contract: every call is idempotent by run id, so it can be repeated after an
 * unknown outcome; a call that throws has written nothing.
 */
export interface RunJournal {
  /** Claims the task of a run and records its start. A task claimed by another agent is E_CONFLICT. Returns the task. */
  readonly started: (run: RecordedRun) => Promise<{ readonly taskId: string }>;
  /** Records that the run waits for approval. */
  readonly waiting: (run: RecordedRun) => Promise<void>;
  /** Records the outcome and files of a run and updates its task; records the start first if that is missing. */
  readonly ended: (outcome: RunOutcome) => Promise<void>;
  /** Claims the tasks of a job, all or none. A task claimed by another agent is E_CONFLICT. */
  readonly claim: (job: JobTasks) => Promise<void>;
  /** Releases every task that the job holds and did not run. */
  readonly release: (job: JobTasks) => Promise<void>;
}
