import { sha256 } from '../../base/digest.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import type { DenialReason } from '../admission/check-admission.ts';
import type { Leftover } from '../run/leftover.ts';
import type { Reconciliation } from '../run/run-draft.ts';
import type { Artifact, Deltas, ToolCall } from '../run/run-capsule.ts';

export type RunStatus = 'success' | 'failure' | 'denied' | 'timeout';

/** A file beside the receipt that it vouches for. */
export interface ProofArtifact {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface ReceiptArtifact extends Omit<Artifact, 'contentHash'> {
  readonly content_hash: string | null;
  /** Beside the BLAKE3 of `content_hash`, since in-toto knows no such digest. */
  readonly sha256?: string | undefined;
}

/** What is signed: how a run ended, from what to what, and what it did. Everything in it is hashed. */
export interface Receipt extends Partial<Reconciliation> {
  readonly id: string;
  readonly run_id: string;
  readonly agent_id: string;
  readonly work_item_id: string;
  readonly work_item_hash: string;
  /** `tranche`: one item. `reconcile`: a whole plan. `rollback`: a run that was taken back. */
  readonly phase: 'tranche' | 'reconcile' | 'rollback';
  readonly timestamp_ns: string;
  readonly timestamp_iso: string;
  readonly root: string;
  readonly git: {
    readonly head: string | null;
    readonly branch: string | null;
    readonly index_hash: string | null;
  };
  readonly before_hash: string;
  readonly after_hash: string;
  readonly receipt_hash: string;
  /** Of the capsule, which follows the capsule of the run before. */
  readonly run_hash: string;
  readonly toolchain_version: string;
  readonly node_version: string;
  readonly artifacts: readonly ReceiptArtifact[];
  readonly proof_artifacts: readonly ProofArtifact[];
  readonly deltas: Deltas;
  readonly tool_trace: readonly ToolCall[];
  readonly tool_source: string;
  readonly test_log_path?: string | undefined;
  readonly previous_receipt_hash: string;
  readonly status: RunStatus | 'rolled_back';
  /** The code of the machine contract that a failed end has. */
  readonly code?: string | undefined;
  readonly error?: string | undefined;
  readonly denial?: { readonly reason: DenialReason; readonly message: string } | undefined;
  readonly budget: JsonObject;
  /** How the work was isolated, and everything that was weaker than in the best mode. */
  readonly workspace: JsonObject;
  /** Processes that were still there when the run was over and had to be ended; empty when it was looked and none was. */
  readonly leftovers?: readonly Leftover[] | undefined;
  readonly approval?: JsonObject | undefined;
  readonly rolls_back?: string | undefined;
}

/** The hash that the first receipt of a home follows. */
export const FIRST = '0'.repeat(64);

/** Hashes everything of a receipt but the hash itself. */
export function hashReceipt(
  receipt: Omit<Receipt, 'receipt_hash'> & { readonly receipt_hash?: string },
): string {
  const { receipt_hash: _, ...rest } = receipt;
  return sha256(canonicalJson(rest));
}

/** Files of ours have one spelling, so that no byte of them can change unseen. */
export function renderDocument(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
