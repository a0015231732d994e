import type { RunFile, RunNote } from './run-journal.ts';
import type { StagedWrite } from './staged-write.ts';

export interface StagePlace {
  /** The run's folder beside the tree, as we see it and as its commands do. */
  readonly scratch: { readonly host: string; readonly inside: string };
}

/** What is needed to bring staged writes into the store. */
export interface StagedRun extends RunNote {
  readonly writes: readonly StagedWrite[];
  /** The files that the run leaves in the tree. */
  readonly files: readonly RunFile[];
}

/** Port: a journal of a run's own, which commits or vanishes with the run. */
export interface RunStage {
  /** Gives a run a copy of the journal; what it gives is added to the environment of the run's commands. */
  readonly open: (note: RunNote, place: StagePlace) => Promise<Readonly<Record<string, string>>>;
  /** Reads what the run staged. Contract: whatever a command of the run may have written there, it is checked or E_DENIED. */
  readonly read: (place: StagePlace, startedAtMs: number) => Promise<readonly StagedWrite[]>;
  /**
   * Brings the writes into the store and does the rest of the promotion with them: both happen, or neither. A write that the store
   * refuses is E_CONFLICT with `details.reason: 'stage'`, and nothing has happened.
   */
  readonly commit: <T>(run: StagedRun, promote: () => Promise<T>) => Promise<T>;
}
