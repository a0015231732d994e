import type { StagedWrite } from './staged-write.ts';

/** A run as the journal knows it. */
export interface RunNote {
  readonly runId: string;
  readonly jobId: string;
  readonly itemId: string;
  readonly agentId: string;
  /** What the item asks for. */
  readonly description: string;
  /** The tree that is worked on. */
  readonly root: string;
  /** The task that the item came from; without one the item gets a task of its own. */
  readonly taskId?: string | undefined;
  /** How long the agent may take. */
  readonly timeoutMs: number;
}

/** A file that a promoted run left in the tree. */
export interface RunFile {
  /** Absolute, in the user's own tree. */
  readonly path: string;
  readonly sizeBytes: number | null;
  readonly blake3: string | null;
}

/** How a run ended, as its receipt says. */
export interface RunEnding extends RunNote {
  readonly phase: 'tranche' | 'reconcile' | 'rollback';
  readonly status: 'success' | 'failure' | 'denied' | 'timeout' | 'rolled_back';
  /** Whether an agent was let at it at all. */
  readonly began: boolean;
  /** Whether it was cut off before its end, so that nothing is known against the work itself. */
  readonly interrupted: boolean;
  readonly reason?: string | undefined;
  readonly receiptId: string;
  readonly receiptHash: string;
  readonly files: readonly RunFile[];
  /** What its agent wrote into the journal; in the store with the promotion, or to be brought there now. */
  readonly writes: readonly StagedWrite[];
  readonly counts: { readonly created: number; readonly modified: number; readonly deleted: number };
  readonly tests?: { readonly passed: number; readonly failed: number } | undefined;
}

/** A task that a job is to do. */
export interface HeldTask {
  readonly taskId: string;
  readonly agentId: string;
  /** The run that did the same on the same state before, so that nothing had to be done. */
  readonly doneBy?: string | undefined;
}

/** The tasks of a job, held from its start so that nobody else begins them. */
export interface JobTasks {
  readonly jobId: string;
  readonly tasks: readonly HeldTask[];
  /** How long the whole job may take. */
  readonly timeoutMs: number;
}

/**
 * Port: where runs are written down for agents and people who come later. Contract: every call is idempotent by the run's id, so
 * whoever is not sure that it arrived repeats it; a call that throws has written nothing.
 */
export interface RunJournal {
  /** Claims the task of a run and says that it began. A task that is somebody else's is E_CONFLICT. Gives the task. */
  readonly began: (note: RunNote) => Promise<{ readonly taskId: string }>;
  /** Says that the work is done and waits for a person. */
  readonly waits: (note: RunNote) => Promise<void>;
  /** Says how a run ended, records its files and closes its task; what `began` could not write is written first. */
  readonly ended: (ending: RunEnding) => Promise<void>;
  /** Claims the tasks of a job, all or none. A task that is somebody else's is E_CONFLICT. */
  readonly hold: (job: JobTasks) => Promise<void>;
  /** Gives back every task that the job holds and did not come to. */
  readonly release: (job: JobTasks) => Promise<void>;
}
