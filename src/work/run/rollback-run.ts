import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { damaged, isDamaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { sha256 } from '../../system/digest.ts';
import { canonicalJson } from '../../base/json.ts';
import { deliverOutcome, queueOutcome } from '../journal/outbox.ts';
import { outcomeOf } from '../journal/record-run-steps.ts';
import { issueReceipt } from '../receipt/issue-receipt.ts';
import { readReceipt, requireReceipt, restoreHint } from '../receipt/read-receipt.ts';
import { checkReceiptFiles } from '../receipt/check-receipt-files.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { readChain, type ChainLine } from '../receipt/receipt-chain.ts';
import type { WorkContext } from '../work-context.ts';
import { takeSnapshot } from '../workspace/take-snapshot.ts';
import { applyChanges, hashManifest } from '../workspace/manifest.ts';
import { readManifest } from '../workspace/manifest-store.ts';
import { promotionState } from '../workspace/read-promotion.ts';
import { invertChanges, rollbackPromotion, rollbackName } from '../workspace/rollback-promotion.ts';
import type { TreeChange, Snapshot, WorkspaceContext } from '../workspace/workspace.ts';
import { draftOf } from './attempt-item.ts';
import { NO_DELTAS, type RunDraft } from './run-draft.ts';
import { chainPath, newWorkId, requireFolder, runFolder } from './run-folder.ts';
import { clearRunState, writeRunState } from './run-state.ts';
import { readChangesRecord, readExecutedItem, type ExecutedItem } from './run-records.ts';
import { writeDraft } from './stored-draft.ts';

export interface RolledBack {
  readonly run_id: string;
  /** The run that was rolled back. */
  readonly rolled_back: string;
  readonly receipt: Receipt;
}

/** Returns the receipt of a run that can be rolled back: it succeeded, was not rolled back yet, and its records are intact. */
export function requirePromoted(home: string, runId: string): Receipt {
  requireFolder(home, 'run', runId);
  const receipt = readReceipt(home, runId);
  if (receipt?.status !== 'success' || receipt.phase !== 'tranche') {
    throw new Fault('E_CONFLICT', `Run "${runId}" did not change the tree, so it cannot be rolled back.`, {
      hint: `"deed work show ${runId}" shows how it ended.`,
      details: { field: 'id', id: runId, status: receipt?.status ?? 'open' },
    });
  }
  if (receipt.landing !== undefined) {
    const { branch, commit } = receipt.landing;
    throw new Fault(
      'E_CONFLICT',
      `Run "${runId}" landed on the branch "${branch}" and did not change the tree.`,
      {
        hint: `Its commit is ${commit}; "git revert ${commit}" undoes it.`,
        details: { field: 'id', id: runId, branch, commit },
      },
    );
  }
  if (wasRolledBack(home, receipt)) {
    throw new Fault('E_CONFLICT', `Run "${runId}" was already rolled back.`, {
      details: { field: 'id', id: runId },
    });
  }
  requireRecords(home, receipt);
  return receipt;
}

/**
 * Rolls back a promoted run, if its files were not changed since, and issues a receipt for the rollback. The draft is saved before
 * the tree is changed, so that recovery can issue the receipt if this process exits in between.
 */
export async function rollbackRun(context: WorkContext, runId: string, by: string): Promise<RolledBack> {
  const undone = requirePromoted(context.home, runId);
  const { kept, changes } = requireRecords(context.home, undone);
  checkReceiptFiles(context.home);
  const snapshot = await takeSnapshot(context.workspace, undone.root);
  const now = context.clock.now();
  const id = newWorkId(context.home, 'run', now);
  const begun = draftOf(kept.item, { jobId: kept.job_id, runId: id, snapshot, reruns: 0 }, now);
  const draft: RunDraft = {
    ...begun,
    rollsBack: { runId, by },
    afterHash: hashAfter(context.workspace, snapshot, invertChanges(changes)),
  };
  writeRunState(context.home, id, 'promoting');
  writeDraft(context.home, draft);
  try {
    const { fallbacks, method } = await rollbackPromotion(context.workspace, runId, {
      root: undone.root,
      changes,
    });
    const receipt = await finishRollback(context, draft, { method, fallbacks });
    return { run_id: id, rolled_back: runId, receipt };
  } catch (error) {
    // Recovery finishes a promotion that has started. If none has, the rollback is dropped.
    if (promotionState(context.workspace, rollbackName(runId)) === 'none') dropRollback(context.home, id);
    throw error;
  }
}

/** Issues the receipt of a rollback. Idempotent. */
export async function finishRollback(
  context: WorkContext,
  draft: RunDraft,
  { method, fallbacks }: { readonly method?: string; readonly fallbacks: readonly string[] },
): Promise<Receipt> {
  const { runId: id, rollsBack, before } = draft;
  if (rollsBack === undefined) throw new Error(`${id} is not a rollback`);
  const undone = readReceipt(context.home, rollsBack.runId);
  const receipt = await issueReceipt({
    home: context.home,
    runId: id,
    prepare: (previousRunHash) => ({
      nowMs: context.clock.now(),
      runHash: sha256(canonicalJson({ id, rolls_back: rollsBack.runId, previousRunHash })),
      receipt: {
        id: draft.receiptId,
        run_id: id,
        agent_id: draft.item.agent_id,
        work_item_id: draft.item.id,
        work_item_hash: draft.itemHash,
        phase: 'rollback',
        root: draft.root,
        git: { head: before.head, branch: before.branch, index_hash: before.indexHash },
        before_hash: before.hash,
        after_hash: draft.afterHash,
        toolchain_version: context.toolchainVersion,
        node_version: context.runtimeVersion,
        artifacts: (undone?.artifacts ?? []).map(({ id: name, path }) => ({
          id: name,
          type: 'file',
          path,
          content_hash: null,
        })),
        deltas: NO_DELTAS,
        tool_trace: [],
        tool_source: 'none: a rollback runs no agent',
        status: 'rolled_back',
        budget: {},
        workspace: { ...(method !== undefined && { method }), fallbacks: [...fallbacks] },
        approval: { by: rollsBack.by },
        rolls_back: rollsBack.runId,
      },
    }),
  });
  queueOutcome(context, outcomeOf(context.home, draft, receipt));
  clearRunState(context.home, id);
  await deliverOutcome(context, id);
  return receipt;
}

/** Finishes or drops an interrupted rollback according to its promotion log; returns whether it was committed. */
export async function recoverRollback(context: WorkContext, draft: RunDraft): Promise<boolean> {
  const done = promotionState(context.workspace, rollbackName(draft.rollsBack?.runId ?? '')) === 'committed';
  const note = 'The process ended during the rollback; recovery found it complete and wrote this receipt.';
  if (done) await finishRollback(context, draft, { fallbacks: [note] });
  else dropRollback(context.home, draft.runId);
  return done;
}

function dropRollback(home: string, id: string): void {
  clearRunState(home, id);
  rmSync(runFolder(home, id), { recursive: true, force: true });
}

function hashAfter(context: WorkspaceContext, snapshot: Snapshot, changes: readonly TreeChange[]): string {
  return hashManifest(applyChanges(readManifest(context, snapshot.hash), changes));
}

/** Whether a later receipt rolled back a run. A caller that asks about many runs passes the chain. */
export function wasRolledBack(
  home: string,
  { run_id, work_item_hash }: Receipt,
  chain: readonly ChainLine[] = readChain(chainPath(home)),
): boolean {
  return chain
    .filter(({ phase }) => phase === 'rollback')
    .some((line) => {
      try {
        return requireReceipt(home, line.run_id).rolls_back === run_id;
      } catch (error) {
        // A damaged receipt of another item does not matter here.
        if (isDamaged(error) && line.work_item_hash !== work_item_hash) return false;
        throw error;
      }
    });
}

/** The item and the changes of a promoted run, which its receipt covers. */
function requireRecords(
  home: string,
  receipt: Receipt,
): { readonly kept: ExecutedItem; readonly changes: readonly TreeChange[] } {
  const kept = readExecutedItem(home, receipt);
  const record = readChangesRecord(home, receipt);
  if (kept === undefined || record === undefined) {
    const path = join(runFolder(home, receipt.run_id), 'RECEIPT.json');
    throw damaged(path, 'it covers no item.json or no changes.json', restoreHint(path));
  }
  return { kept, changes: record.changes };
}
