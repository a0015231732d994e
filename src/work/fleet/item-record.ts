import * as v from 'valibot';
import { Fault } from '../../base/fault.ts';
import { tryParseJson } from '../../base/parse-json.ts';
import { int, record } from '../../base/schema.ts';
import type { RunOutcome } from '../journal/run-journal.ts';
import { commitId } from '../receipt/commit-id.ts';
import type { Approval } from '../run/run-draft.ts';
import type { RunResult } from '../run/run-result.ts';

/**
 * How far an item is, as its ref in the remote says:
 *
 *     claimed ──► result ──► promoted
 *        │          │ └────► requeued ──► claimed …   the branch moved and the result conflicts: once more on the new base
 *        │          └──────► ended
 *        ├────► waiting ──► result | ended            a person decides
 *        └────► ended                                 failed or denied
 *
 * `cancelled` replaces any step that is not the last; a later round can claim the item again.
 */
export type ItemStep = 'claimed' | 'result' | 'waiting' | 'requeued' | 'promoted' | 'ended' | 'cancelled';

/** Orders attempts: `round` increases when the item is queued again, `retry` when another worker takes it over. */
export interface Fence {
  readonly round: number;
  readonly retry: number;
}

/** Why an approval does not count. Readers say it in their own words, because others can write to the ref. */
export interface ApprovalRefusal {
  readonly reason: 'missing' | 'unsigned' | 'untrusted' | 'another_result';
  /** The key that signed it. */
  readonly key_id?: string | undefined;
}

/** What the ref of an item points to. */
export interface ItemRecord {
  readonly version: 1;
  readonly job_id: string;
  readonly item_id: string;
  readonly step: ItemStep;
  readonly fence: Fence;
  /** How often the item was claimed. */
  readonly attempt: number;
  /** The worker or integrator that wrote this. */
  readonly by: string;
  readonly at: string;
  /** The commit that the run started from. */
  readonly base?: string | undefined;
  /** The commit of the run; once promoted, the one on the branch. Missing if the run changed nothing. */
  readonly commit?: string | undefined;
  readonly run_id?: string | undefined;
  /** The tree of the run on its host, to which the paths of its result belong. */
  readonly root?: string | undefined;
  readonly result?: RunResult | undefined;
  /** The error code of a run that failed. */
  readonly code?: string | undefined;
  /** The receipt of the run and its signature, as they are on disk. */
  readonly proof?: { readonly receipt: string; readonly statement: string } | undefined;
  /** Recorded in the journal when the item is promoted. */
  readonly outcome?: RunOutcome | undefined;
  /** Who decided, and the statement that the approver signed. */
  readonly approval?: (Approval & { readonly statement?: string }) | undefined;
  /** Why the approval of an item that waits again was not accepted. */
  readonly refused?: ApprovalRefusal | undefined;
  /** The commit of the entry in the ledger, once promoted. */
  readonly ledger?: string | undefined;
}

/** A part of paths on the hosts that read the record. */
const RUN_ID = /^run_\w{1,64}$/u;

const SCHEMA = v.object({
  version: v.literal(1),
  job_id: v.string(),
  item_id: v.string(),
  step: v.picklist(['claimed', 'result', 'waiting', 'requeued', 'promoted', 'ended', 'cancelled']),
  fence: v.object({ round: int(), retry: int() }),
  attempt: int(),
  by: v.string(),
  at: v.string(),
  base: v.optional(commitId()),
  commit: v.optional(commitId()),
  run_id: v.optional(v.pipe(v.string(), v.regex(RUN_ID))),
  root: v.optional(v.string()),
  result: v.optional(
    v.looseObject({
      status: v.picklist(['success', 'failure', 'denied', 'timeout']),
      receipt_id: v.string(),
      modified_files: v.array(v.string()),
      created_files: v.array(v.string()),
      deleted_files: v.array(v.string()),
      output_hash: v.string(),
      artifact_hashes: record(v.string()),
    }),
  ),
  code: v.optional(v.string()),
  proof: v.optional(v.object({ receipt: v.string(), statement: v.string() })),
  outcome: v.optional(
    v.looseObject({ runId: v.string(), files: v.array(v.looseObject({ path: v.string() })) }),
  ),
  approval: v.optional(
    v.looseObject({ decision: v.string(), by: v.string(), statement: v.optional(v.string()) }),
  ),
  refused: v.optional(
    v.object({
      reason: v.picklist(['missing', 'unsigned', 'untrusted', 'another_result']),
      key_id: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/u))),
    }),
  ),
  ledger: v.optional(commitId()),
});

/** Parses the document of an item's ref. */
export function parseItemRecord(text: string | undefined, ref: string): ItemRecord {
  const parsed = v.safeParse(SCHEMA, tryParseJson(text ?? ''));
  if (parsed.success) return parsed.output as unknown as ItemRecord;
  throw notAnItem(ref);
}

export function notAnItem(ref: string): Fault {
  return new Fault('E_DAMAGED', `${ref} in the remote is not the state of an item.`, {
    hint: 'Another program wrote it, or a newer version of deed. Delete the ref to start the item again.',
    details: { ref },
  });
}

/** Whether nothing more happens to an item. */
export function isFinalRecord({ step }: { readonly step: string }): boolean {
  return step === 'promoted' || step === 'ended';
}
