import { join } from 'node:path';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import type { WorkItem } from '../item/work-item.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { jobFolder, missing, requireFolder, runFolder } from '../run/run-folder.ts';
import { readRunState } from '../run/run-state.ts';
import { isOwnerAlive, type Owner } from '../run/owner.ts';
import { readDocument, writeDocument } from '../run/json-document.ts';
import type { RunResult } from '../run/run-result.ts';

/** One call of `work run`, as stored on disk. The runs record how they ended; the job records which runs belong to it. */
export interface Job {
  readonly id: string;
  readonly root: string;
  readonly items: readonly WorkItem[];
  /** The maximum number of items of a level that run in parallel. */
  readonly jobs: number;
  readonly createdAt: string;
  readonly endedAt?: string | undefined;
  readonly cancelled?: boolean | undefined;
  /** The process that runs the job, if any. */
  readonly owner?: Owner | undefined;
  /** The last run of each item that was started. */
  readonly runs: Readonly<Record<string, string>>;
  /** The run of the reconciler. */
  readonly reconciledBy?: string | undefined;
}

/** The state of an item of a job. */
export type ItemState =
  | { readonly status: 'pending' | 'running' | 'waiting' | 'lost'; readonly runId?: string | undefined }
  | {
      readonly status: RunResult['status'];
      readonly runId: string;
      readonly code?: string | undefined;
      readonly result: RunResult;
    };

export function readJob(home: string, id: string): Job {
  requireFolder(home, 'job', id);
  return findJob(home, id) ?? missing('job', id);
}

/** Reads a job; undefined if its process was killed before it saved the job. */
export function findJob(home: string, id: string): Job | undefined {
  return readDocument<Job>(join(jobFolder(home, id), 'job.json'));
}

export function writeJob(home: string, job: Job): Job {
  const folder = jobFolder(home, job.id);
  ensurePrivateFolder(folder);
  writeDocument(join(folder, 'job.json'), job);
  return job;
}

/** Computes the state of an item from the files of its run. `lost`: the process of the run exited early. */
export function itemState(home: string, job: Job, itemId: string): ItemState {
  const runId = job.runs[itemId];
  return runId === undefined ? { status: 'pending' } : runState(home, runId);
}

export function runState(home: string, runId: string): ItemState {
  const state = readRunState(home, runId);
  if (state !== undefined) {
    if (state.status === 'waiting') return { status: 'waiting', runId };
    return { status: isOwnerAlive(state.owner) ? 'running' : 'lost', runId };
  }
  const folder = runFolder(home, runId);
  const result = readDocument<RunResult>(join(folder, 'result.json'));
  const receipt = readDocument<Receipt>(join(folder, 'RECEIPT.json'));
  if (result === undefined || receipt === undefined) return { status: 'lost', runId };
  return { status: result.status, runId, result, ...(receipt.code !== undefined && { code: receipt.code }) };
}

/** The items of a job that were promoted. */
export function promotedItems(home: string, job: Job): readonly WorkItem[] {
  return job.items.filter(({ id }) => itemState(home, job, id).status === 'success');
}

/** Whether a run has its receipt. */
export function isEnded(state: ItemState): state is Extract<ItemState, { readonly result: RunResult }> {
  return 'result' in state;
}
