import type { Age } from './fake-age.ts';

/** A process that the plan proposes an action for, or lists for review. */
export interface Proposal {
  readonly pid: number;
  readonly action: string;
  readonly command: string;
  readonly evidence: string;
}

/** What happened to one situation at one age. */
export interface CaseObservation {
  readonly age: Age;
  /** Proposals for any process of the situation. */
  readonly proposals: readonly Proposal[];
  /** The best proposal for each judged process: its own or that of an ancestor in the situation. */
  readonly targets: readonly {
    readonly name: string;
    readonly pid: number;
    readonly action: string | null;
  }[];
}

export interface SituationObservation {
  readonly id: string;
  /** Why it could not be observed. */
  readonly problem?: string;
  readonly cases: readonly CaseObservation[];
}

export interface BatchObservation {
  readonly situations: readonly SituationObservation[];
  readonly plans: readonly { readonly age: Age; readonly scanned: number; readonly milliseconds: number }[];
  /** Automatic actions on processes of the runner itself, which also have to be kept. */
  readonly runnerActions: readonly { readonly age: Age; readonly proposal: Proposal }[];
}
