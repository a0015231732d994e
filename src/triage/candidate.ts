import type {
  Action,
  Assessment,
  BlastRadius,
  ByClass,
  HazardResult,
  LedgerTerm,
  ProbeValue,
  ProcessClass,
  Reversibility,
  Superseded,
  SupervisorInfo,
  UncertaintyInfo,
} from './assessment.ts';
import type { Observation } from './features/observation.ts';
import type { Grounds } from './grounds/find-grounds.ts';
import type { Veto } from './vetoes/veto.ts';
import type { Origin } from './features/origin.ts';
import type { ProcessFacts } from './process-snapshot.ts';

/** An assessed process in the fields of the contract; optional fields are present on request. */
export interface Candidate extends Partial<CandidateDetails>, Partial<CandidateLedger> {
  readonly pid: number;
  /** Distinguishes the process from a later one with the same pid. */
  readonly start_id: string;
  /** The owner; -1 when it could not be read. */
  readonly uid: number;
  readonly ppid: number;
  readonly cmd_short: string;
  readonly cmd_full: string;
  readonly classification: ProcessClass;
  readonly posterior: ByClass;
  readonly confidence: Assessment['confidence'];
  readonly matched_signature: string | null;
  readonly novel_pattern: boolean;
  readonly blast_radius: BlastRadius;
  readonly reversibility: Reversibility;
  readonly supervisor: SupervisorInfo;
  readonly uncertainty: UncertaintyInfo;
  readonly recommended_action: Action;
  readonly action_rationale: string;
  readonly origin?: Origin;
  /** Whether there is positive evidence that its owner is gone, without which there is no automatic action. */
  readonly grounds?: Grounds;
  /** Why there is no automatic action, regardless of the odds. */
  readonly vetoes?: readonly Veto[];
  readonly superseded?: Superseded;
  /** With `includeRaw`; null when the process is not in the snapshot. */
  readonly raw_samples?: { readonly window_ms: number; readonly process: ProcessFacts } | null;
}

/** With `verbose`. */
export interface CandidateDetails {
  readonly state: string;
  readonly exe: string | null;
  readonly start_ticks: number;
  readonly exemption: Assessment['exemption'];
  readonly observation: Observation;
  readonly expected_loss: Assessment['expectedLoss'];
  readonly infeasible: Assessment['infeasible'];
  readonly e_value: number;
  readonly e_bh_rejected: boolean;
  readonly conformal: {
    readonly level: number;
    readonly p_values: Assessment['conformal']['pValues'];
    readonly set: readonly ProcessClass[];
    readonly interval: Assessment['conformal']['interval'];
    readonly blocks_automation: boolean;
  };
  readonly hazard: {
    readonly lost_for_ms: HazardResult['lostForMs'];
    readonly rate_per_hour: number;
    readonly survival: number;
    readonly useful_again_within_hour: number;
  };
  readonly value_of_information: readonly {
    readonly probe: string;
    readonly cost: ProbeValue['cost'];
    readonly expected_loss_now: number;
    readonly expected_loss_after: number;
    readonly value: number;
    readonly expected_confidence: number;
  }[];
  readonly tree: readonly { readonly pid: number; readonly start_ticks: number }[];
}

/** With `includeLedger`; the entries add up to `log_posterior`, bit for bit. */
export interface CandidateLedger {
  readonly evidence_ledger: readonly {
    readonly term: LedgerTerm['term'];
    readonly cell: string;
    readonly about?: string;
    readonly log_likelihood: ByClass;
    readonly log_odds: number;
  }[];
  readonly log_posterior: ByClass;
}
