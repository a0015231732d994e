import type { JsonObject } from '../../base/json.ts';
import type { DenialReason } from '../admission/check-admission.ts';
import type { AgentConfig } from '../executors/agent-config.ts';
import type { WorkItem } from '../item/work-item.ts';
import type { StagedWrite } from '../journal/staged-write.ts';
import type { TestReport } from '../tests/run-tests.ts';
import type { Change, Skipped } from '../workspace/workspace.ts';
import type { Leftover } from './leftover.ts';
import type { Deltas, ToolCall } from './run-capsule.ts';

/** Who let a run through, or did not. */
export interface Approval extends JsonObject {
  readonly decision: 'approved' | 'rejected';
  readonly by: string;
  readonly at: string;
  readonly note?: string;
}

/**
 * A run that has been judged. It is written down before the tree is touched, so that a receipt can be given even when this
 * process dies in the middle of the promotion.
 */
export interface RunDraft {
  readonly runId: string;
  readonly receiptId: string;
  readonly jobId: string;
  readonly item: WorkItem;
  readonly itemHash: string;
  readonly agent: AgentConfig | undefined;
  readonly root: string;
  /** The task of the journal that it works on, once it has one. */
  readonly taskId?: string | undefined;
  readonly startedAt: string;
  readonly status: 'success' | 'failure' | 'denied' | 'timeout';
  /** The code of the machine contract that a failed end has. */
  readonly code?: string | undefined;
  readonly error?: string | undefined;
  readonly denial?: { readonly reason: DenialReason; readonly message: string } | undefined;
  readonly before: {
    readonly hash: string;
    readonly head: string | null;
    readonly branch: string | null;
    readonly indexHash: string | null;
  };
  readonly afterHash: string;
  readonly changes: readonly Change[];
  readonly deltas: Deltas;
  readonly toolTrace: readonly ToolCall[];
  readonly toolSource: string;
  readonly executionMs: number;
  /** What the agent used, where it tells: tokens, cost. */
  readonly usage?: JsonObject | undefined;
  readonly tests?: TestReport | undefined;
  readonly workspace: {
    readonly mode: string;
    readonly sandboxed: boolean;
    readonly fallbacks: readonly string[];
    readonly skipped: readonly Skipped[];
    readonly ignored: number;
    /** Paths that somebody else changed while the run was under way. */
    readonly drift: readonly string[];
    readonly method?: string | undefined;
    /** How often the item ran because a neighbour had changed the same files. */
    readonly reruns: number;
  };
  /** What a replay needs, where its contents were kept. */
  readonly replay?: { readonly snapshotId: string; readonly sourceDateEpoch: string } | undefined;
  /** What its agent wrote into the journal; it goes with the run. */
  readonly staged?: readonly StagedWrite[] | undefined;
  readonly approval?: Approval | undefined;
  /** What had to be ended when the run was over; empty when it was looked and nothing was left. */
  readonly leftovers?: readonly Leftover[] | undefined;
  /** Set where the run is the taking back of another, and who asked for it. */
  readonly rollsBack?: { readonly runId: string; readonly by: string } | undefined;
  /** Set for the run that checks a whole plan. */
  readonly reconciliation?: Reconciliation | undefined;
}

/** What the reconciler found about the runs of a plan. */
export interface Reconciliation {
  readonly tranches_merged: number;
  readonly tranche_receipts: readonly JsonObject[];
  readonly merge_law: string;
  /** Whether no two runs of one level changed the same path, so that their order made no difference. */
  readonly commutativity_verified: boolean;
  readonly verification_script: string;
  readonly replay_instructions: string;
}

/** The sum of nothing: a run that never got as far as changing anything. */
export const NO_DELTAS: Deltas = { deltaO: [], deltaPi: [], deltaLambda: [], deltaQ: [] };
