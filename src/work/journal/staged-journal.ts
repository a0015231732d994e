import type { RunFile, RecordedRun } from './run-journal.ts';
import type { StagedWrite } from './staged-write.ts';

export interface StagedLocation {
  /** The scratch folder of the run, by its path on the host and its path inside the sandbox. */
  readonly scratch: { readonly host: string; readonly inside: string };
}

/** A run with its staged writes. */
export interface StagedRun extends RecordedRun {
  readonly writes: readonly StagedWrite[];
  /** The files that the run promotes. */
  readonly files: readonly RunFile[];
}

/** Port: a private journal per run, whose writes are committed or dropped with the run. */
export interface StagedJournal {
  /** Creates the run's copy of the journal; returns environment variables for its commands. */
  readonly open: (run: RecordedRun, location: StagedLocation) => Promise<Readonly<Record<string, string>>>;
  /** Reads the staged writes. Contract: the file is untrusted; its content is validated or rejected with E_DENIED. */
  readonly read: (
    run: RecordedRun,
    location: StagedLocation,
    startedAtMs: number,
  ) => Promise<readonly StagedWrite[]>;
  /**
   * Commits the writes to the store and promotes the run: both or neither. A write that the store rejects is E_CONFLICT with
   * `details.reason: 'stage'`, and nothing is changed.
   */
  readonly commit: <T>(run: StagedRun, promote: () => Promise<T>) => Promise<T>;
}
