import { join } from 'node:path';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import type { WorkItem } from '../item/work-item.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { jobFolder, missing, requireFolder, runFolder } from '../run/run-folder.ts';
import { readRunState } from '../run/run-state.ts';
import { isOwnerAlive, type Owner } from '../run/owner.ts';
import { readDocument, writeDocument } from '../run/json-document.ts';
import type { RunResult } from '../run/run-result.ts';

/** One call that runs a plan, as it is kept on disk. The runs know how they ended; the job knows which they are. */
export interface Job {
  readonly id: string;
  readonly root: string;
  readonly items: readonly WorkItem[];
  /** How many items of a level run at once. */
  readonly jobs: number;
  readonly createdAt: string;
  readonly endedAt?: string | undefined;
  readonly cancelled?: boolean | undefined;
  /** Who drives it; a job without a driver waits to be driven. */
  readonly owner?: Owner | undefined;
  /** The last run of each item that was begun. */
  readonly runs: Readonly<Record<string, string>>;
  /** The run that checked the whole. */
  readonly reconciledBy?: string | undefined;
}

/** How an item of a job stands. */
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

/** Reads a job; nothing where its process was killed before it had written down what it was to do. */
export function findJob(home: string, id: string): Job | undefined {
  return readDocument<Job>(join(jobFolder(home, id), 'job.json'));
}

export function writeJob(home: string, job: Job): Job {
  const folder = jobFolder(home, job.id);
  ensurePrivateFolder(folder);
  writeDocument(join(folder, 'job.json'), job);
  return job;
}

/** Tells how an item stands, from what its run left on disk. `lost`: the process that drove it is gone. */
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

/** Tells a run that has its receipt from one that has not. */
export function isEnded(state: ItemState): state is Extract<ItemState, { readonly result: RunResult }> {
  return 'result' in state;
}
