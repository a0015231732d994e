import { Fault } from '../../base/fault.ts';
import { findJob } from '../../work/plan/job.ts';
import { viewJob } from '../../work/plan/job-status.ts';
import { existsSync } from 'node:fs';
import { hasState, openRunPath } from '../../work/run/open-runs.ts';
import { listIds } from '../../work/run/run-folder.ts';

/** Older jobs are not checked; "work list" shows all runs. */
const MAX_JOBS = 50;

export interface OpenWork {
  readonly running: { job_id: string; items: number; progress: number; running_seconds: number }[];
  readonly waiting: { kind: 'run' | 'job'; id: string; what: string; command: string }[];
}

/** Reads the jobs that run, the runs that wait for approval and the jobs whose process exited, newest first. */
export function readOpenWork(home: string, tool: string, nowMs: number): OpenWork {
  const open: OpenWork = { running: [], waiting: [] };
  // An open run has a marker file separate from its state.
  const isOpen = (runId: string): boolean => existsSync(openRunPath(home, runId)) || hasState(home, runId);
  for (const id of listIds(home, 'job').slice(0, MAX_JOBS)) {
    const read = readJob(home, id, nowMs);
    if (read instanceof Fault) {
      const what = `the record of a job ${read.code === 'E_DAMAGED' ? 'is damaged' : 'cannot be read'}; its runs can still be read`;
      open.waiting.push({ kind: 'job', id, what, command: `${tool} work status --id ${id}` });
      continue;
    }
    const { job, view } = read;
    if (job === undefined || view === undefined) continue;
    const { status, items, progress, waiting, driverExited } = view;
    const running_seconds = Math.round((nowMs - Date.parse(job.createdAt)) / 1000);
    if (status === 'running' && !driverExited)
      open.running.push({ job_id: id, items: items.length, progress, running_seconds });
    for (const { id: item, state } of items) {
      if (state.status !== 'damaged' || !isOpen(state.runId)) continue;
      const what = `a file of the run of "${item}" is damaged`;
      open.waiting.push({ kind: 'run', id: state.runId, what, command: `${tool} work show ${state.runId}` });
    }
    for (const run of waiting) {
      const item = items.find(({ state }) => state.runId === run)?.id ?? run;
      const what = `the changes of "${item}" are done and tested`;
      open.waiting.push({ kind: 'run', id: run, what, command: `${tool} work approve ${run}` });
    }
    if (driverExited) {
      const [first, ...others] = items.map(({ id: item }) => `"${item}"`);
      const named = others.length === 0 ? first : `${first} and ${others.length} more`;
      const what = `the process of the job of ${named} exited; nothing is half done. To drop the job: ${tool} work cancel ${id}`;
      open.waiting.push({ kind: 'job', id, what, command: `${tool} work run --resume ${id} --dry-run` });
    }
  }
  return open;
}

/** Reads a job and its state, or why they cannot be read: one such job must not hide the others. */
function readJob(home: string, id: string, nowMs: number) {
  try {
    const job = findJob(home, id);
    return { job, view: job && viewJob(home, job, nowMs) };
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
