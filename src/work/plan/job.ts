import { ownMember } from '../../base/own-member.ts';
import { join } from 'node:path';
import * as v from 'valibot';
import { damaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { int, record } from '../../base/schema.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { readStored, timestamp, writeStored, type DocumentShape } from '../../system/stored-document.ts';
import { STORED_ITEM } from '../item/stored-item.ts';
import type { WorkItem } from '../item/work-item.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { jobFolder, missing, requireFolder } from '../run/run-folder.ts';
import { REVISION, type Revision } from '../run/revision.ts';
import { currentStep, readRunState } from '../run/run-state.ts';
import { isOwnerAlive, OWNER, type OwnerProcess } from '../run/owner.ts';
import { readResult } from '../run/run-records.ts';
import { fleetItemState } from './fleet-states.ts';
import type { ItemState } from './item-state.ts';

/** One call of `work run`, as stored on disk. The runs record how they ended; the job records which runs belong to it. */
export interface Job {
  readonly id: string;
  readonly root: string;
  /** The branch that the runs land on; without it they change the tree. */
  readonly branch?: string | undefined;
  /** Set if the items run on other hosts. */
  readonly fleet?: FleetJob | undefined;
  readonly items: readonly WorkItem[];
  /** The maximum number of items of a level that run in parallel. */
  readonly jobs: number;
  readonly createdAt: string;
  readonly endedAt?: string | undefined;
  readonly cancelled?: boolean | undefined;
  /** The process that runs the job, if any. */
  readonly owner?: OwnerProcess | undefined;
  /** The last run of each item that was started. */
  readonly runs: Readonly<Record<string, string>>;
  /** All runs of each item, the oldest first; jobs of version 0.1.0 have none. */
  readonly attempts?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Items that were sent back: why their next runs are not the first. */
  readonly revisions?: Readonly<Record<string, Revision>> | undefined;
  /** The run of the reconciler. */
  readonly reconciledBy?: string | undefined;
}

const JOB: DocumentShape<Job> = {
  hint: () =>
    'Restore it from a backup. The runs of the job are not affected: "deed work list" shows them, and the plan can be run again.',
  schema: v.object({
    id: v.string(),
    root: v.string(),
    branch: v.optional(v.string()),
    fleet: v.optional(
      v.object({
        queue: v.string(),
        url: v.string(),
        round: int(),
        repository: v.optional(v.string()),
      }),
    ),
    items: v.array(STORED_ITEM),
    jobs: int(),
    createdAt: timestamp(),
    endedAt: v.optional(v.string()),
    cancelled: v.optional(v.boolean()),
    owner: v.optional(OWNER),
    runs: record(v.string()),
    revisions: v.optional(record(REVISION)),
    attempts: v.optional(record(v.array(v.string()))),
    reconciledBy: v.optional(v.string()),
  }),
};

/** A job in a queue: its items run on workers, and land on `branch` of the remote. */
export interface FleetJob {
  /** The name of the queue, without what the database adds to it. */
  readonly queue: string;
  /** The address of the remote. */
  readonly url: string;
  /** How often the job was put into the queue, from 0. */
  readonly round: number;
  /** Set for a copy of a job that another home submitted: the name of its repository. `url` is empty if this host has no clone of it. */
  readonly repository?: string | undefined;
}

export function readJob(home: string, id: string): Job {
  requireFolder(home, 'job', id);
  return findJob(home, id) ?? missing('job', id);
}

/** Reads a job; undefined if its process was killed before it saved the job. */
export function findJob(home: string, id: string): Job | undefined {
  const path = join(jobFolder(home, id), 'job.json');
  const job = readStored(path, JOB);
  if (job !== undefined && job.id !== id)
    throw damaged(path, `it is the record of ${job.id}`, JOB.hint(path));
  return job;
}

export function writeJob(home: string, job: Job): Job {
  const folder = jobFolder(home, job.id);
  ensurePrivateFolder(folder);
  writeStored(join(folder, 'job.json'), job);
  return job;
}

/** Computes the state of an item from the files of its run. `lost`: the process of the run exited early. Damage is E_DAMAGED. */
export function itemState(home: string, job: Job, itemId: string): ItemState {
  if (job.fleet !== undefined) return fleetItemState(home, job.id, itemId);
  const runId = ownMember(job.runs, itemId);
  return runId === undefined ? { status: 'pending' } : runState(home, runId);
}

/** Like `itemState`, but damage is the status `damaged` instead of a fault; for lists and reports. */
export function itemStateOrDamage(home: string, job: Job, itemId: string): ItemState {
  if (job.fleet !== undefined) return fleetItemState(home, job.id, itemId);
  const runId = ownMember(job.runs, itemId);
  return runId === undefined ? { status: 'pending' } : runStateOrDamage(home, runId);
}

export function runStateOrDamage(home: string, runId: string): ItemState {
  try {
    return runState(home, runId);
  } catch (error) {
    if (error instanceof Fault) return { status: 'damaged', runId, problem: error };
    throw error;
  }
}

export function runState(home: string, runId: string): ItemState {
  const state = readRunState(home, runId);
  if (state !== undefined) {
    const step = currentStep(state);
    const now = { runId, ...(step && { step }) };
    if (state.status === 'waiting' || state.status === 'ready') return { status: state.status, ...now };
    return { status: isOwnerAlive(state.owner) ? 'running' : 'lost', ...now };
  }
  const receipt = readReceipt(home, runId);
  const result = receipt && readResult(home, receipt);
  if (result === undefined || receipt === undefined) return { status: 'lost', runId };
  return { status: result.status, runId, result, ...(receipt.code !== undefined && { code: receipt.code }) };
}

/** The items of a job that were promoted. */
export function promotedItems(home: string, job: Job): readonly WorkItem[] {
  return job.items.filter(({ id }) => itemState(home, job, id).status === 'success');
}
