import type { Action, Exemption, Judgement } from './assessment.ts';
import type { Candidate } from './candidate.ts';
import type { Card } from './cards/card.ts';
import type { GateName } from './gates/gate.ts';
import type { VerifiedOutcome } from './operations/verify-outcomes.ts';
import type { Visibility } from './process-snapshot.ts';
import type { Prose } from './prose/styles.ts';

// Some of these types are aliases rather than interfaces: the details of faults contain them, and TypeScript accepts only an alias as JSON.

/** The first fields of every result. */
export interface ResultHeader<SessionId = string> {
  readonly session_id: SessionId;
  readonly generated_at: string;
  readonly host_id: string;
}

/** Identifies one process: its pid, and a start id that distinguishes it from a later process with the same pid. */
export type TargetId = {
  readonly pid: number;
  readonly start_id: string;
};

/** Whether all processes of the machine were visible. */
export interface VisibilityReport {
  readonly complete: boolean;
  readonly hidepid: Visibility['hidepid'];
  readonly unreadable_processes: number;
  readonly vanished: number;
  readonly notes: readonly string[];
}

export interface SnapshotBody {
  readonly summary: {
    readonly total_scanned: number;
    /** Processes whose deep facts were read: files, sockets, folders. */
    readonly looked_into: number;
    readonly window_ms: number;
    readonly memory_total_mb: number;
    readonly memory_available_mb: number;
    readonly cpu_count: number;
  };
  readonly visibility: VisibilityReport;
}

export interface SnapshotResult extends ResultHeader, SnapshotBody {}

/** Prose and derivations, on request. */
export interface ExpandedBody {
  readonly prose_summary?: Prose;
  readonly galaxy_brain?: { readonly enabled: true; readonly cards: readonly CandidateCard[] };
}

/** A derivation with the pid of its process. */
export interface CandidateCard extends Card {
  readonly pid: number;
}

/** A plan without expansions. */
export interface PlanCore {
  readonly summary: {
    readonly total_scanned: number;
    readonly candidates_found: number;
    readonly kill_recommended: number;
    readonly review_recommended: number;
    readonly spare_count: number;
    readonly total_recoverable_mb: number;
    readonly total_recoverable_cpu_pct: number;
  };
  readonly candidates: readonly Candidate[];
  /** The number of candidates that were omitted. */
  readonly candidates_left_out?: number;
  readonly recommended: {
    readonly preselected_pids: readonly number[];
    readonly actions: readonly {
      readonly target: TargetId;
      readonly action: Action;
      readonly stage: number;
      readonly gates: readonly GateName[];
    }[];
    readonly total_actions: number;
    readonly estimated_recovery_mb: number;
  };
  /** Present when processes or facts were hidden. */
  readonly visibility?: VisibilityReport;
}

export interface PlanBody extends PlanCore, ExpandedBody {
  /** Present if the call passed `since`. */
  readonly since?: PlanChanges;
  /** Present if the call passed `verbose`. */
  readonly scan?: {
    readonly scanned_at: string;
    readonly window_ms: number;
    readonly parameters_version: string;
    readonly eligible: number;
    readonly exempt: Readonly<Partial<Record<Exemption, number>>>;
    readonly e_bh: Judgement['eBh'];
  };
}

export interface PlanResult extends ResultHeader, PlanBody {}

/** How a plan differs from an earlier one. */
export interface PlanChanges {
  readonly session_id: string;
  readonly new_candidates: number;
  readonly changed_candidates: number;
  readonly unchanged_candidates: number;
  readonly gone: readonly TargetId[];
}

export interface ExplainBody extends ExpandedBody {
  readonly candidates: readonly Candidate[];
}

export interface ExplainResult extends ResultHeader, ExplainBody {}

/** The result of one action. */
export type ActionResult = {
  readonly target: TargetId;
  readonly action: Action;
  readonly outcome: 'success' | 'skipped' | 'failed' | 'blocked';
  readonly reason: string;
  readonly duration_ms: number;
  /** The gate that stopped the action. */
  readonly gate?: GateName;
  readonly warnings?: readonly string[];
  readonly tree_size?: number;
  /** The method of throttling, and whether it can be undone. */
  readonly method?: 'cgroup_v2' | 'cgroup_v1' | 'renice';
  readonly reversible?: boolean;
  readonly escalation?: string;
};

export type ApplySummary = {
  readonly total: number;
  readonly successful: number;
  readonly skipped: number;
  readonly blocked: number;
  readonly failed: number;
  readonly memory_freed_mb: number;
};

export type ApplyBody = {
  readonly results: readonly ActionResult[];
  readonly summary: ApplySummary;
};

export type ApplyResult = ResultHeader & ApplyBody;

/** The verified outcome of one action. */
export interface ActionVerification {
  readonly target: TargetId;
  readonly action: Action;
  readonly outcome: VerifiedOutcome;
  readonly note: string;
  readonly time_to_death_ms?: number;
  readonly resources_freed: { readonly memory_mb: number; readonly expected_mb: number };
  readonly surviving_pids?: readonly number[];
  readonly respawn_detected?: TargetId & {
    readonly parent_pid: number;
    readonly by: string;
    readonly memory_mb: number;
  };
}

export interface VerifyBody {
  readonly verification: {
    readonly requested_at: string;
    readonly completed_at: string;
    readonly overall_status: 'success' | 'partial_success' | 'failure';
    readonly confirmed: number;
    readonly total: number;
  };
  readonly action_outcomes: readonly ActionVerification[];
  readonly resource_summary: {
    readonly memory_freed_mb: number;
    readonly expected_mb: number;
    readonly shortfall_reason?: string;
  };
}

export interface VerifyResult extends ResultHeader, VerifyBody {}
