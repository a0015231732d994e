import { ownMember } from '../../base/own-member.ts';
import { Fault } from '../../base/fault.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { decideRun } from '../run/decide-run.ts';
import { isOwnerAlive } from '../run/owner.ts';
import { requireFolder } from '../run/run-folder.ts';
import { readExecutedItem } from '../run/run-records.ts';
import { readRunState } from '../run/run-state.ts';
import { readDraft } from '../run/stored-draft.ts';
import type { WorkContext } from '../work-context.ts';
import { findJob, writeJob, type Job } from './job.ts';

/** A run that can be sent back: the last one of its item, in a job that is not running. */
export interface Revisable {
  readonly job: Job;
  readonly itemId: string;
  /** `waiting`, or how it ended. */
  readonly status: string;
}

/** Reads a run that can be sent back. */
export function requireRevisable(home: string, runId: string): Revisable {
  requireFolder(home, 'run', runId);
  const { jobId, itemId, status } = describe(home, runId);
  const job = jobId === undefined ? undefined : findJob(home, jobId);
  if (job === undefined)
    throw refusal(runId, `Run "${runId}" no longer has a job.`, 'Run the item again with a new plan.');
  if (job.owner !== undefined && isOwnerAlive(job.owner))
    throw refusal(
      runId,
      `Job ${job.id} is still running.`,
      `Wait until it stops, or stop it: deed work cancel ${job.id}`,
    );
  const last = ownMember(job.runs, itemId);
  if (last === runId) return { job, itemId, status };
  throw refusal(
    runId,
    `Run "${runId}" is not the last run of item "${itemId}", which is ${last ?? 'unknown'}.`,
    `Send the last one back: deed work revise ${last ?? ''}`.trim(),
  );
}

function describe(home: string, runId: string): { jobId?: string; itemId: string; status: string } {
  const state = readRunState(home, runId);
  if (state === undefined) {
    const receipt = readReceipt(home, runId);
    const record = receipt && readExecutedItem(home, receipt);
    if (receipt?.phase === 'tranche' && record !== undefined)
      return { jobId: record.job_id, itemId: record.item.id, status: receipt.status };
    throw refusal(runId, `Run "${runId}" is not a run of an item.`, '"deed work list" shows all runs.');
  }
  const draft = readDraft(home, runId);
  if (state.status === 'waiting' && draft !== undefined)
    return { jobId: draft.jobId, itemId: draft.item.id, status: state.status };
  throw refusal(
    runId,
    `Run "${runId}" has not finished (${state.status}).`,
    `"deed work show ${runId}" shows its state.`,
  );
}

function refusal(id: string, message: string, hint: string): Fault {
  return new Fault('E_CONFLICT', message, { hint, details: { field: 'id', id } });
}

/**
 * Sends a run back to its agent with a comment: a run that waits for approval is discarded, and the item is run again by the next call
 * of `runJob`. Returns the job.
 */
export async function reviseRun(
  context: WorkContext,
  runId: string,
  { comment, by, at }: { readonly comment: string; readonly by: string; readonly at: string },
): Promise<Job> {
  const { job, itemId, status } = requireRevisable(context.home, runId);
  const attempt = (ownMember(job.attempts, itemId)?.length ?? 1) + 1;
  // Written first: after a kill in between, a resumed job sends the run back with its comment.
  const sent = writeJob(context.home, {
    ...job,
    revisions: { ...job.revisions, [itemId]: { of: runId, attempt, comment, by, at } },
  });
  if (status === 'waiting') await decideRun(context, runId, { decision: 'sent_back', by, at, note: comment });
  return sent;
}
