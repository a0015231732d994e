import { sha256 } from '../../system/digest.ts';
import { renderCanonical } from '../../base/canonical-json.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import type { DenialReason } from '../admission/check-admission.ts';
import type { Leftover } from '../run/leftover.ts';
import type { Revision } from '../run/revision.ts';
import type { Reconciliation } from '../run/run-draft.ts';
import type { CapsuleArtifact, Deltas, RecordedToolCall } from '../run/run-capsule.ts';

export type RunStatus = 'success' | 'failure' | 'denied' | 'timeout';

/** A file next to the receipt, covered by it. */
export interface ProofArtifact {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface ReceiptArtifact extends Omit<CapsuleArtifact, 'contentHash'> {
  readonly content_hash: string | null;
  /** In addition to the BLAKE3 of `content_hash`, because in-toto has no such digest. */
  readonly sha256?: string | undefined;
}

/** The signed record of a run: its outcome, the states before and after, and what it did. All fields are hashed. */
export interface Receipt extends Partial<Reconciliation> {
  /** How the receipt is serialized for its hash and signature; receipts without it have the rule of version 0.1.0. */
  readonly canonicalization?: typeof CANONICALIZATION | undefined;
  readonly id: string;
  readonly run_id: string;
  readonly agent_id: string;
  readonly work_item_id: string;
  readonly work_item_hash: string;
  /** `tranche`: one item. `reconcile`: a whole plan. `rollback`: the rollback of a run. */
  readonly phase: 'tranche' | 'reconcile' | 'rollback';
  readonly timestamp_ns: string;
  readonly timestamp_iso: string;
  readonly root: string;
  readonly git: {
    readonly head: string | null;
    readonly branch: string | null;
    readonly index_hash: string | null;
  };
  /** The commit with which the run landed on a branch; without it the run changed the tree. */
  readonly landing?:
    | { readonly branch: string; readonly commit: string; readonly parent: string }
    | undefined;
  readonly before_hash: string;
  readonly after_hash: string;
  readonly receipt_hash: string;
  /** The hash of the capsule, which is chained to the previous run. */
  readonly run_hash: string;
  readonly toolchain_version: string;
  readonly node_version: string;
  readonly artifacts: readonly ReceiptArtifact[];
  readonly proof_artifacts: readonly ProofArtifact[];
  readonly deltas: Deltas;
  readonly tool_trace: readonly RecordedToolCall[];
  readonly tool_source: string;
  readonly test_log_path?: string | undefined;
  readonly previous_receipt_hash: string;
  readonly status: RunStatus | 'rolled_back';
  /** The error code of a failed run. */
  readonly code?: string | undefined;
  readonly error?: string | undefined;
  readonly denial?: { readonly reason: DenialReason; readonly message: string } | undefined;
  readonly budget: JsonObject;
  /** How the run was isolated, including every fallback. */
  readonly workspace: JsonObject;
  /** Processes terminated after the run; empty if there were none, undefined if it was not checked. */
  readonly leftovers?: readonly Leftover[] | undefined;
  readonly approval?: JsonObject | undefined;
  /** The start of the run; receipts of version 0.1.0 have none, nor the two below. */
  readonly started_at?: string | undefined;
  /** How the tests of the item ended. */
  readonly tests?: JsonObject | undefined;
  /** Why the item was run again: which run was sent back, by whom, with which comment. */
  readonly revision?: Revision | undefined;
  readonly rolls_back?: string | undefined;
}

/** The rule of new receipts. */
export const CANONICALIZATION = 'RFC8785';

/** The previous hash of the first receipt. */
export const FIRST = '0'.repeat(64);

/** Hashes a receipt without its own hash. */
export function hashReceipt(
  receipt: Omit<Receipt, 'receipt_hash'> & { readonly receipt_hash?: string },
): string {
  const { receipt_hash: _, ...rest } = receipt;
  return sha256(renderCanonically(receipt, rest));
}

/** Serializes a value by the rule of a receipt. The rule of 0.1.0 differs only for members whose names are integers: they come first. */
export function renderCanonically(
  { canonicalization }: Pick<Receipt, 'canonicalization'>,
  value: unknown,
): string {
  return canonicalization === undefined ? canonicalJson(value) : renderCanonical(value);
}

/** Renders JSON in one canonical form, so that every changed byte is detected. */
export function renderDocument(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
