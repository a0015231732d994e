import type * as z from '../../base/schema/schema.ts';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { isEnded, runState, type Job } from '../../work/plan/job.ts';
import { viewJob, type JobView } from '../../work/plan/job-status.ts';
import type { RunResult } from '../../work/run/run-result.ts';
import type { itemResultSchema, jobResultSchema } from './work-schemas.ts';

type JobAnswer = z.output<typeof jobResultSchema>;
type ItemResult = z.output<typeof itemResultSchema>;

/** Answers for a job that has come to rest: its results when all went well, otherwise the fault that tells what did not. */
export function jobAnswer(tool: string, home: string, job: Job, nowMs: number): JobAnswer {
  const view = viewJob(home, job, nowMs);
  const results = view.items.flatMap(({ id, state }) =>
    isEnded(state) ? [itemResult(id, state.runId, state.result)] : [],
  );
  const whole = job.reconciledBy === undefined ? undefined : runState(home, job.reconciledBy);
  const reconciliation =
    whole !== undefined && isEnded(whole) ? itemResult(reconcilerId(job), whole.runId, whole.result) : null;
  if (view.status === 'succeeded') {
    return { job_id: job.id, status: view.status, root: job.root, results, reconciliation };
  }
  throw faultOf(
    tool,
    job,
    view,
    results,
    reconciliation,
    whole !== undefined && isEnded(whole) ? whole.code : undefined,
  );
}

function faultOf(
  tool: string,
  job: Job,
  view: JobView,
  results: readonly ItemResult[],
  reconciliation: ItemResult | null,
  wholeCode: string | undefined,
): Fault {
  const resume = `${tool} work run --resume ${job.id}`;
  const common = {
    job_id: job.id,
    job_status: view.status,
    results: results as unknown as JsonObject[],
    reconciliation: reconciliation as unknown as JsonObject,
  };
  if (view.status === 'cancelled') {
    return new Fault(
      'E_INTERRUPTED',
      `The job ${job.id} was interrupted; what it had not finished never happened.`,
      {
        hint: `Go on with: ${resume}`,
        details: { ...common, resume },
      },
    );
  }
  const bad = view.items.find(
    ({ state }) =>
      isEnded(state) &&
      state.status !== 'success' &&
      state.result.denial_reason?.startsWith('Dependency failed') !== true,
  );
  if (bad !== undefined && isEnded(bad.state)) {
    const { state } = bad;
    return new Fault(
      state.code ?? 'E_AGENT_FAILED',
      `"${bad.id}": ${state.result.denial_reason ?? state.result.error ?? state.status}`,
      {
        hint: `Nothing of it is in the tree. See: ${tool} work show ${state.runId}`,
        details: { ...(itemResult(bad.id, state.runId, state.result) as unknown as JsonObject), ...common },
      },
    );
  }
  const [waiting] = view.waiting;
  if (waiting !== undefined) {
    return new Fault(
      'E_HUMAN_REQUIRED',
      `The work of ${waiting} is done and tested; a person must approve it.`,
      {
        hint: `A person runs: ${tool} work approve ${waiting} (or reject); then: ${resume}`,
        details: {
          ...common,
          action: 'approve_run',
          run_id: waiting,
          approve: `${tool} work approve ${waiting}`,
          reject: `${tool} work reject ${waiting}`,
          resume,
        },
      },
    );
  }
  if (reconciliation !== null && reconciliation.status !== 'success') {
    const message = reconciliation.denial_reason ?? reconciliation.error ?? reconciliation.status;
    return new Fault(wholeCode ?? 'E_TESTS_FAILED', `The merged tree did not pass: ${message}`, {
      hint: `The items are in the tree. See: ${tool} work show ${reconciliation.run_id}, and ${tool} work rollback to take one back.`,
      details: { ...(reconciliation as unknown as JsonObject), ...common },
    });
  }
  return new Fault('E_CONFLICT', `The job ${job.id} has not come to its end (${view.status}).`, {
    hint: view.lost
      ? `The process that drove it is gone. Go on with: ${resume}`
      : `Ask again later: ${tool} work status --id ${job.id}`,
    details: { ...common, ...(view.lost && { resume }) },
  });
}

function itemResult(itemId: string, runId: string, result: RunResult): ItemResult {
  return { item_id: itemId, run_id: runId, ...result } as unknown as ItemResult;
}

function reconcilerId(job: Job): string {
  return job.items.find(({ agent_id }) => agent_id === 'agent-0')?.id ?? 'reconcile';
}
