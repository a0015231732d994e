import { existsSync } from 'node:fs';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import { Fault } from '../../base/fault.ts';
import type { WorkContext } from '../work-context.ts';
import { reopenWorkspace } from '../workspace/open-workspace.ts';
import { findJob, promotedItems } from '../plan/job.ts';
import { assertApprovable } from './assert-approvable.ts';
import { finishRun } from './finish-run.ts';
import type { Approval, RunDraft } from './run-draft.ts';
import { requireFolder } from './run-folder.ts';
import { readRunState } from './run-state.ts';
import { readDraft } from './stored-draft.ts';
import type { RunResult } from './run-result.ts';
import { promoteRun } from './promote-run.ts';
import { REJECTED } from './rejected.ts';

const SENT_BACK = 'Sent back by ';

/** Reads a run that waits for approval. */
export function requireWaiting(home: string, runId: string): RunDraft {
  requireFolder(home, 'run', runId);
  const draft = readDraft(home, runId);
  if (readRunState(home, runId)?.status === 'waiting' && draft !== undefined) {
    if (existsSync(draft.root)) return draft;
    throw treeMissing(runId, draft.root);
  }
  throw notWaiting(runId, `"deed work show ${runId}" shows its state.`);
}

export function notWaiting(runId: string, hint: string): Fault {
  return new Fault('E_CONFLICT', `Run "${runId}" is not waiting for approval.`, {
    hint,
    details: { field: 'id', id: runId },
  });
}

function treeMissing(runId: string, root: string): Fault {
  return new Fault('E_NOT_FOUND', `The tree of run "${runId}" no longer exists: ${root}.`, {
    hint: `If it was moved, move it back to this path and decide again. If it was deleted, create a repository there to reject the run: git init ${quoteForShell(root)}`,
    details: { field: 'id', id: runId, path: root },
  });
}

/** Applies a decision about a waiting run: promotes or discards it. The receipt records who decided. */
export async function decideRun(
  context: WorkContext,
  runId: string,
  approval: Approval,
): Promise<{ draft: RunDraft; result: RunResult }> {
  const draft: RunDraft = { ...requireWaiting(context.home, runId), approval };
  const workspace = await reopenWorkspace(context.workspace, runId);
  if (approval.decision === 'approved') {
    await assertApprovable(context, draft, workspace).catch((error: unknown) => {
      workspace.close();
      throw error;
    });
    const job = findJob(context.home, draft.jobId);
    const earlier = job === undefined ? [] : promotedItems(context.home, job);
    const promotion = await promoteRun(draft, workspace, context, { earlier });
    if (promotion.kind === 'ended') return promotion;
    throw new Error('a single run cannot overlap with another run of its level');
  }
  await workspace.discard();
  const verb = approval.decision === 'sent_back' ? SENT_BACK : REJECTED;
  const message = `${verb}${approval.by}${approval.note === undefined ? '' : `: ${approval.note}`}`;
  const rejected: RunDraft = {
    ...draft,
    status: 'denied',
    code: 'E_DENIED',
    denial: { reason: 'rejected', message },
  };
  return { draft: rejected, result: await finishRun(context, rejected) };
}
