import type { Observation } from './features/observation.ts';
import type { Grounds } from './grounds/find-grounds.ts';
import type { Veto } from './vetoes/veto.ts';

/** useful: in use. useful_bad: in use but misbehaving. abandoned: not in use. zombie: exited but not reaped by its parent. */
export type ProcessClass = 'useful' | 'useful_bad' | 'abandoned' | 'zombie';
export const CLASSES: readonly ProcessClass[] = ['useful', 'useful_bad', 'abandoned', 'zombie'];
export type ByClass = Readonly<Record<ProcessClass, number>>;

export type Action = 'kill' | 'pause' | 'throttle' | 'restart' | 'review' | 'spare';
export const ACTIONS: readonly Action[] = ['kill', 'pause', 'throttle', 'restart', 'review', 'spare'];

/** One entry of the ledger: what an observation adds to the log posterior of each class. */
export interface LedgerTerm {
  readonly term:
    | 'prior'
    | 'state'
    | 'grounds'
    | 'lifeline'
    | 'signature'
    | 'activity'
    | 'loss_age'
    | 'network'
    | 'writes'
    /** The evidence as a whole is limited to what the counts support. */
    | 'limit'
    | 'evidence';
  /** The observed value, which selects a cell of the likelihood table. */
  readonly cell: string;
  /** The run or agent that the observation refers to. */
  readonly about?: string;
  readonly logLikelihood: ByClass;
  /** What the entry adds to log P(abandoned) − log P(useful). */
  readonly logOdds: number;
}

export interface DependentProcess {
  readonly pid: number;
  readonly relationship: 'child' | 'descendant' | 'parent' | 'stdio_peer' | 'session_member';
  readonly cmd_short: string;
}

/** The types below are objects of the contract and use its field names, so that they can be printed unchanged. */
export interface BlastRadius {
  readonly memory_mb: number;
  readonly cpu_pct: number;
  readonly child_count: number;
  readonly connection_count: number;
  readonly open_files: number;
  readonly dependent_processes: readonly DependentProcess[];
  readonly risk_level: 'none' | 'low' | 'medium' | 'high' | 'critical';
  readonly summary: string;
}

export interface Reversibility {
  readonly reversible: boolean;
  readonly recovery_options: readonly string[];
  readonly data_at_risk: boolean;
  readonly open_write_fds: readonly {
    readonly fd: number;
    readonly path: string;
    readonly moving: boolean;
  }[];
  readonly note: string;
}

export interface SupervisorInfo {
  readonly detected: boolean;
  readonly type: 'systemd' | 'docker' | 'pm2' | 'supervisord' | null;
  readonly unit: string | null;
  readonly recommended_action: string;
  readonly supervisor_command: string | null;
}

export interface UncertaintyInfo {
  readonly confidence_level: number;
  readonly uncertainty_drivers: readonly {
    readonly factor: string;
    readonly impact: 'low' | 'medium' | 'high';
    readonly note: string;
  }[];
  readonly to_increase_confidence: readonly {
    readonly probe: string;
    readonly expected_gain: number;
    readonly cost: string;
  }[];
  readonly decision_robustness: 'low' | 'medium' | 'high';
}

/** Conformal p-values by class; `insufficient` with fewer than twenty reference scores. */
export interface ConformalResult {
  readonly level: number;
  readonly pValues: Readonly<Record<ProcessClass, number | 'insufficient'>>;
  readonly set: readonly ProcessClass[];
  readonly referenceCounts: ByClass;
  /** The abandoned posterior plus and minus the reference error at this level. */
  readonly interval: {
    readonly low: number;
    readonly high: number;
    readonly halfWidth: number;
    readonly count: number;
  } | null;
  /** Whether "useful" cannot be excluded, on enough reference scores. */
  readonly blocksAutomation: boolean;
}

export interface HazardResult {
  /** Null unless the process is orphaned. */
  readonly lostForMs: number | null;
  readonly ratePerHour: number;
  readonly survival: number;
  readonly usefulAgainWithinHour: number;
}

export interface ProbeValue {
  readonly probe: string;
  readonly cost: string;
  readonly expectedLossNow: number;
  readonly expectedLossAfter: number;
  /** The expected reduction of loss: now minus after, never negative. */
  readonly value: number;
  readonly expectedConfidence: number;
}

/** Why a process must not be acted on, regardless of its posterior. */
export type Exemption =
  | 'itself'
  | 'ancestor'
  | 'init'
  | 'kernel_thread'
  | 'protected_name'
  | 'excluded'
  | 'other_user'
  | 'own_session'
  | 'young';

/** Instances of one command under one parent, of which only the newest is needed. */
export interface Superseded {
  readonly parent: number;
  readonly newest: number;
  /** The number of superseded instances, and the memory of their trees together. */
  readonly instances: number;
  readonly memory_mb: number;
}

export interface Assessment {
  readonly pid: number;
  readonly startTicks: number;
  readonly start_id: string;
  readonly uid: number | null;
  readonly ppid: number;
  readonly cmd_short: string;
  readonly cmd_full: string;
  readonly exe: string | null;
  readonly state: string;
  readonly observation: Observation;
  /** Entries in the order of addition; their sum is `logPosterior`, bit for bit. */
  readonly ledger: readonly LedgerTerm[];
  readonly logPosterior: ByClass;
  readonly posterior: ByClass;
  readonly classification: ProcessClass;
  readonly confidence: 'low' | 'medium' | 'high' | 'very_high';
  readonly matched_signature: string | null;
  readonly novel_pattern: boolean;
  readonly eValue: number;
  /** Whether e-BH over the processes with grounds and without a veto rejects the hypothesis "in use" at the plan's level. */
  readonly eBhRejected: boolean;
  readonly expectedLoss: Readonly<Record<Action, number>>;
  /** The actions that are not possible, each with its reason. */
  readonly infeasible: Readonly<Partial<Record<Action, string>>>;
  readonly recommended_action: Action;
  readonly action_rationale: string;
  /** Set when the process must not be acted on; then at most `review` is recommended. */
  readonly exemption: Exemption | null;
  readonly conformal: ConformalResult;
  readonly hazard: HazardResult;
  readonly voi: readonly ProbeValue[];
  readonly blast_radius: BlastRadius;
  readonly reversibility: Reversibility;
  readonly supervisor: SupervisorInfo;
  readonly uncertainty: UncertaintyInfo;
  /** What a kill would end: descendants, leaves first, then the process itself. Plans of earlier versions have no memory by process. */
  readonly tree: readonly { readonly pid: number; readonly startTicks: number; readonly memoryMb?: number }[];
  /** Absent in plans of earlier versions; then no action passes the gates. */
  readonly grounds?: Grounds;
  readonly vetoes?: readonly Veto[];
  /** Set for an instance that was superseded by a newer one of the same parent and command. */
  readonly superseded?: Superseded;
}

/** The assessment of a whole snapshot. Only suspects and requested processes are assessed; the others are counted. */
export interface Judgement {
  readonly parametersVersion: string;
  readonly scanned: number;
  /** m of e-BH: every process that could have been acted on, suspect or not. */
  readonly eligible: number;
  readonly exempt: Readonly<Partial<Record<Exemption, number>>>;
  readonly eBh: {
    readonly alpha: number;
    readonly m: number;
    readonly rejections: number;
    readonly threshold: number | null;
  };
  /** Most urgent first: by action, then by expected reduction of loss, then by pid. */
  readonly assessments: readonly Assessment[];
}
