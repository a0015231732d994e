import type { JsonObject } from '../../base/json.ts';
import type { DenialReason } from '../admission/check-admission.ts';
import type { AgentConfig } from '../executors/agent-config.ts';
import type { WorkItem } from '../item/work-item.ts';
import type { StagedWrite } from '../journal/staged-write.ts';
import type { TestReport } from '../tests/run-tests.ts';
import type { Isolation } from '../workspace/isolation.ts';
import type { Identity } from '../workspace/objects/commit-object.ts';
import type { TreeChange, Skipped, Workspace } from '../workspace/workspace.ts';
import type { Leftover } from './leftover.ts';
import type { Revision } from './revision.ts';
import type { Deltas, RecordedToolCall } from './run-capsule.ts';

/** A decision about a run. */
export interface Approval extends JsonObject {
  readonly decision: 'approved' | 'rejected' | 'sent_back';
  /** `user:` and the account of a person, or `program:` and the account of a program. */
  readonly by: string;
  readonly at: string;
  readonly note?: string;
}

/**
 * A run that was evaluated. It is saved before the tree is changed, so that a receipt can be issued even if this process exits
 * during the promotion.
 */
export interface RunDraft {
  readonly runId: string;
  readonly receiptId: string;
  readonly jobId: string;
  readonly item: WorkItem;
  readonly itemHash: string;
  readonly agent: AgentConfig | undefined;
  readonly root: string;
  /** The journal task of the run, once it has one. */
  readonly taskId?: string | undefined;
  readonly startedAt: string;
  readonly status: 'success' | 'failure' | 'denied' | 'timeout';
  /** The error code of a failed run. */
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
  readonly changes: readonly TreeChange[];
  readonly deltas: Deltas;
  readonly toolTrace: readonly RecordedToolCall[];
  readonly toolSource: string;
  readonly executionMs: number;
  /** Usage reported by the agent: tokens, cost. */
  readonly usage?: JsonObject | undefined;
  /** The last lines of the agent's output, for a failure. */
  readonly lastOutput?: readonly string[] | undefined;
  readonly tests?: TestReport | undefined;
  readonly workspace: {
    readonly mode: string;
    readonly isolation: Isolation;
    readonly sandboxed: boolean;
    readonly fallbacks: readonly string[];
    readonly skipped: readonly Skipped[];
    readonly ignored: number;
    /** Paths that were changed by others during the run. */
    readonly drift: readonly string[];
    readonly method?: string | undefined;
    /** How often the item was run again because another run of its level changed the same files. */
    readonly reruns: number;
  };
  /** Present if the contents needed for a replay were stored. */
  readonly replay?: { readonly snapshotId: string; readonly sourceDateEpoch: string } | undefined;
  /** Journal writes of the agent, committed together with the run. */
  readonly staged?: readonly StagedWrite[] | undefined;
  readonly approval?: Approval | undefined;
  /** Set if an earlier run of the item was sent back. */
  readonly revision?: Revision | undefined;
  /** The first port of the workspace, while a command runs in it. */
  readonly port?: number | undefined;
  /** Set if the run lands on a branch; the commit is known before the branch moves. */
  readonly landing?: Landing | undefined;
  /** Processes terminated after the run; empty if there were none, undefined if it was not checked. */
  readonly leftovers?: readonly Leftover[] | undefined;
  /** Set if the run is a rollback: the run it rolls back and who requested it. */
  readonly rollsBack?: { readonly runId: string; readonly by: string } | undefined;
  /** Set for the run of the reconciler. */
  readonly reconciliation?: Reconciliation | undefined;
}

/** Where a run lands. */
export interface Landing {
  readonly branch: string;
  /** Undefined if the run changed nothing. */
  readonly commit?: string | undefined;
  readonly parent?: string | undefined;
  readonly author?: Identity | undefined;
}

/** The reconciler's findings about the runs of a plan. */
export interface Reconciliation {
  readonly tranches_merged: number;
  readonly tranche_receipts: readonly JsonObject[];
  readonly merge_law: string;
  /** Whether no two runs of one level changed the same path, so that their order does not matter. */
  readonly commutativity_verified: boolean;
  readonly verification_script: string;
  readonly replay_instructions: string;
}

/** The deltas of a run without changes. */
export const NO_DELTAS: Deltas = { deltaO: [], deltaPi: [], deltaLambda: [], deltaQ: [] };

/** Adds to a draft how its workspace confines commands. */
export function withIsolation(draft: RunDraft, workspace: Workspace): RunDraft {
  const { mode, isolation, sandboxed, fallbacks } = workspace;
  return { ...draft, workspace: { ...draft.workspace, mode, isolation, sandboxed, fallbacks } };
}
