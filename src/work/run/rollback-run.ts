import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { sha256 } from '../../base/digest.ts';
import { canonicalJson } from '../../base/json.ts';
import type { WorkItem } from '../item/work-item.ts';
import { deliverEnding, keepEnding } from '../journal/outbox.ts';
import { endingOf } from '../journal/tell-journal.ts';
import { issueReceipt } from '../receipt/issue-receipt.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { readChain } from '../receipt/receipt-chain.ts';
import type { WorkWorld } from '../work-world.ts';
import { freeze } from '../workspace/freeze.ts';
import { rollback } from '../workspace/rollback.ts';
import { NO_DELTAS } from './run-draft.ts';
import { chainPath, newId, readDocument, requireFolder } from './run-folder.ts';

export interface RolledBack {
  readonly run_id: string;
  /** The run that was taken back. */
  readonly rolled_back: string;
  readonly receipt: Receipt;
}

/** Reads the receipt of a run that can be taken back: it succeeded, and that did not happen yet. */
export function requirePromoted(home: string, runId: string): Receipt {
  const folder = requireFolder(home, 'run', runId);
  const receipt = readDocument<Receipt>(join(folder, 'RECEIPT.json'));
  if (receipt?.status !== 'success' || receipt.phase !== 'tranche') {
    throw new Fault(
      'E_CONFLICT',
      `The run "${runId}" put nothing into the tree, so there is nothing to take back.`,
      {
        hint: `"deed work show ${runId}" tells how it ended.`,
        details: { field: 'id', id: runId, status: receipt?.status ?? 'open' },
      },
    );
  }
  if (wasRolledBack(home, runId)) {
    throw new Fault('E_CONFLICT', `The run "${runId}" was taken back already.`, {
      details: { field: 'id', id: runId },
    });
  }
  return receipt;
}

/** Takes a promoted run back, if nothing later touched its files, and gives that a receipt of its own. */
export async function rollbackRun(world: WorkWorld, runId: string, by: string): Promise<RolledBack> {
  const undone = requirePromoted(world.home, runId);
  const before = await freeze(world.workspace, undone.root);
  const { fallbacks, method } = await rollback(world.workspace, runId);
  const after = await freeze(world.workspace, undone.root);
  const id = newId('run', world.clock.now());
  const receipt = await issueReceipt({
    home: world.home,
    runId: id,
    prepare: (previousRunHash) => ({
      nowMs: world.clock.now(),
      runHash: sha256(canonicalJson({ id, rolls_back: runId, previousRunHash })),
      receipt: {
        id: crypto.randomUUID(),
        run_id: id,
        agent_id: undone.agent_id,
        work_item_id: undone.work_item_id,
        work_item_hash: undone.work_item_hash,
        phase: 'rollback',
        root: undone.root,
        git: { head: after.head, branch: after.branch, index_hash: after.indexHash },
        before_hash: before.hash,
        after_hash: after.hash,
        toolchain_version: world.toolchainVersion,
        node_version: world.runtimeVersion,
        artifacts: undone.artifacts.map(({ id: name, path }) => ({
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
        workspace: { method, fallbacks: [...fallbacks] },
        approval: { by },
        rolls_back: runId,
      },
    }),
  });
  const kept = readDocument<{ item: WorkItem; job_id: string }>(
    join(requireFolder(world.home, 'run', runId), 'item.json'),
  );
  if (kept !== undefined) {
    const told = { runId: id, jobId: kept.job_id, item: kept.item, root: undone.root };
    keepEnding(world, endingOf(world.home, told, receipt));
    await deliverEnding(world, id);
  }
  return { run_id: id, rolled_back: runId, receipt };
}

/** Tells whether a later receipt takes a run back. */
export function wasRolledBack(home: string, runId: string): boolean {
  return readChain(chainPath(home))
    .filter(({ phase }) => phase === 'rollback')
    .some(
      (line) =>
        readDocument<Receipt>(join(requireFolder(home, 'run', line.run_id), 'RECEIPT.json'))?.rolls_back ===
        runId,
    );
}
