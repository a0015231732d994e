import { relative } from 'node:path';
import { deliveredReceipt } from './delivered-receipt.ts';
import { describeUsedLimits, describeUsage } from './describe-usage.ts';
import type { RunElsewhere } from './find-run-elsewhere.ts';

/** Describes a run on another host by the result that it delivered; all other data is on that host. */
export function showElsewhere({ job, itemId, runId, host, state }: RunElsewhere, nowMs: number) {
  const item = job.items.find(({ id }) => id === itemId);
  const result = state?.result;
  const changes = Object.entries({
    create: result?.created_files ?? [],
    modify: result?.modified_files ?? [],
    delete: result?.deleted_files ?? [],
  }).flatMap(([action, paths]) =>
    paths.map((path) => ({ path: relative(job.root, path), action, type: 'file' })),
  );
  // The result was written by another host, maybe with another version.
  const metrics: Partial<NonNullable<typeof result>['metrics']> = result?.metrics ?? {};
  const agentMs = metrics.execution_time_ms ?? 0;
  const receipt = deliveredReceipt(state);
  return {
    run_id: runId,
    job_id: job.id,
    item_id: itemId,
    agent_id: item?.agent_id ?? '',
    phase: '',
    status: statusOf(state),
    root: job.root,
    at: state?.at ?? job.createdAt,
    files: changes.length,
    folder: '',
    item: item === undefined ? null : { ...item },
    changes,
    journal: [],
    workspace: { host, worker_id: state?.by ?? null, isolation: result?.isolation ?? null },
    budget: {},
    started_at: null,
    ended_at: result === undefined ? null : (state?.at ?? null),
    decided_at: null,
    durations: { total_ms: null, agent_ms: agentMs, tests_ms: null },
    tests: null,
    limits: describeUsedLimits({
      constraints: item?.constraints ?? {},
      files: metrics.files_touched ?? 0,
      toolOps: metrics.tool_ops_count ?? 0,
      deltaSize: metrics.delta_size ?? 0,
      agentMs,
    }),
    agent: null,
    ...(receipt !== undefined && describeUsage(receipt, undefined, nowMs)),
    revision: null,
    attempts: [{ run_id: runId, status: statusOf(state) }],
    // A run that landed on a branch is reverted there.
    rolled_back: false,
    approval: receipt?.approval ? { ...receipt.approval } : null,
    result: (result ?? null) as never,
  };
}

/** The status of a run as a list of runs shows it. */
export function statusOf(state: RunElsewhere['state']): string {
  if (state?.step === 'waiting') return 'waiting';
  if (state?.step === 'result') return 'ready';
  return state?.result?.status ?? 'running';
}
