import type * as v from 'valibot';
import { RECONCILER } from '../../work/item/work-item.ts';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { isEnded, type ItemState } from '../../work/plan/item-state.ts';
import { runStateOrDamage, type Job } from '../../work/plan/job.ts';
import { viewJob, type JobView } from '../../work/plan/job-status.ts';
import { REJECTED } from '../../work/run/rejected.ts';
import type { RunResult } from '../../work/run/run-result.ts';
import { readRunCost } from './describe-item.ts';
import type { itemResultSchema, jobResultSchema } from './work-schemas.ts';

type JobResult = v.InferOutput<typeof jobResultSchema>;
type ItemResult = v.InferOutput<typeof itemResultSchema>;

/**
 * Returns the results of a successful job; otherwise throws the fault that describes what failed. The caller can pass the command that
 * resumes the job, with a token.
 */
export function requireJobResult(
  tool: string,
  home: string,
  job: Job,
  nowMs: number,
  resumeCommand?: string,
): JobResult {
  const view = viewJob(home, job, nowMs);
  const results = view.items.flatMap(({ id, state }) =>
    isEnded(state) ? [pricedResult(home, nowMs, itemResult(id, state.runId, state.result))] : [],
  );
  const reconciled = job.reconciledBy === undefined ? undefined : runStateOrDamage(home, job.reconciledBy);
  const reconciliation =
    reconciled !== undefined && isEnded(reconciled)
      ? pricedResult(home, nowMs, itemResult(reconcilerId(job), reconciled.runId, reconciled.result))
      : null;
  if (view.status === 'succeeded') {
    const { id: job_id, root, branch } = job;
    return { job_id, status: view.status, root, ...(branch && { branch }), results, reconciliation };
  }
  const resume = resumeCommand ?? `${tool} work run --resume ${job.id}`;
  const details = {
    job_id: job.id,
    job_status: view.status,
    root: job.root,
    results: results as unknown as JsonObject[],
    reconciliation: reconciliation as unknown as JsonObject,
  };
  const unfinished: UnfinishedJob = { tool, job, view, resume, details };
  throw (
    damagedRun(view, reconciled) ??
    cancelled(unfinished) ??
    itemFailed(unfinished) ??
    approvalNeeded(unfinished) ??
    (reconciliation !== null && reconciliation.status !== 'success'
      ? mergeFailed(
          unfinished,
          reconciliation,
          reconciled !== undefined && isEnded(reconciled) ? reconciled.code : undefined,
        )
      : notFinished(unfinished))
  );
}

/** A job that did not succeed, with the details of every fault about it. */
interface UnfinishedJob {
  readonly tool: string;
  readonly job: Job;
  readonly view: JobView;
  /** The command that resumes it. */
  readonly resume: string;
  readonly details: JsonObject;
}

/** The result is incomplete if the files of a run cannot be read. */
function damagedRun(view: JobView, reconciled: ItemState | undefined): Fault | undefined {
  for (const state of [...view.items.map((item) => item.state), ...(reconciled ? [reconciled] : [])])
    if (state.status === 'damaged') return state.problem;
  return undefined;
}

function cancelled({ tool, job, view, resume, details }: UnfinishedJob): Fault | undefined {
  if (view.status !== 'cancelled') return undefined;
  return new Fault('E_INTERRUPTED', `Job ${job.id} was interrupted; unfinished items changed nothing.`, {
    hint: `Resume it: ${resume}${resume.includes(' --confirm ') ? ` (later with a new token: ${tool} work run --resume ${job.id} --dry-run)` : ''}`,
    details: { ...details, resume },
  });
}

function itemFailed({ tool, job, view, details }: UnfinishedJob): Fault | undefined {
  for (const { id, state } of view.items) {
    if (!isEnded(state) || state.status === 'success') continue;
    const { denial_reason: denial, error } = state.result;
    // Report the dependency instead.
    if (denial?.startsWith('Dependency failed') === true) continue;
    return new Fault(state.code ?? 'E_AGENT_FAILED', `"${id}": ${denial ?? error ?? state.status}`, {
      hint: `The tree is unchanged by this run. See: ${tool} work show ${state.runId}; the output of its agent: ${tool} work log ${state.runId}${denial?.startsWith(REJECTED) === true ? '' : `; ${howToRetry(tool, job)}`}`,
      details: { ...(itemResult(id, state.runId, state.result) as unknown as JsonObject), ...details },
    });
  }
  return undefined;
}

function howToRetry(tool: string, { id, fleet }: Job): string {
  if (fleet !== undefined)
    return `to try again, run its items as a new job: ${tool} work run <plan> --on ${fleet.queue} --dry-run`;
  return `to run the items that did not succeed again: ${tool} work run --resume ${id} --dry-run`;
}

function approvalNeeded({ tool, view, resume, details }: UnfinishedJob): Fault | undefined {
  const [waiting] = view.waiting;
  if (waiting === undefined) return undefined;
  const [approve, reject] = [`${tool} work approve ${waiting}`, `${tool} work reject ${waiting}`];
  const refused = view.items
    .map(({ state }) => (state.runId === waiting && 'refused' in state ? state.refused : undefined))
    .find((reason) => reason !== undefined);
  return new Fault(
    'E_HUMAN_REQUIRED',
    `Run ${waiting} is done and tested; a person must approve it.${refused === undefined ? '' : ` ${refused}`}`,
    {
      hint: `Its changes: ${tool} work diff ${waiting}. Ask a person to run: ${approve} (or ${reject}); then: ${resume}`,
      details: { ...details, action: 'approve_run', run_id: waiting, approve, reject, resume },
    },
  );
}

function mergeFailed(
  { tool, details }: UnfinishedJob,
  reconciliation: ItemResult,
  code: string | undefined,
): Fault {
  const message = reconciliation.denial_reason ?? reconciliation.error ?? reconciliation.status;
  return new Fault(code ?? 'E_TESTS_FAILED', `The merged tree failed: ${message}`, {
    hint: `The changes of the items are in the tree. See: ${tool} work show ${reconciliation.run_id}; undo a run with ${tool} work rollback.`,
    details: { ...(reconciliation as unknown as JsonObject), ...details },
  });
}

function notFinished({ tool, job, view, resume, details }: UnfinishedJob): Fault {
  return new Fault('E_CONFLICT', `Job ${job.id} has not finished (${view.status}).`, {
    hint: view.driverExited
      ? `Its process exited. Resume it: ${resume}`
      : `Check its progress: ${tool} work status --id ${job.id}`,
    details: { ...details, ...(view.driverExited && { resume }) },
  });
}

function itemResult(itemId: string, runId: string, result: RunResult): ItemResult {
  return { item_id: itemId, run_id: runId, ...result } as unknown as ItemResult;
}

function pricedResult(home: string, nowMs: number, result: ItemResult): ItemResult {
  const cost = readRunCost(home, result.run_id, nowMs);
  return cost === null ? result : { ...result, cost_usd: cost };
}

function reconcilerId(job: Job): string {
  return job.items.find(({ agent_id }) => agent_id === RECONCILER)?.id ?? 'reconcile';
}
