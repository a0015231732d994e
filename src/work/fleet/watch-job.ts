import { Fault } from '../../base/fault.ts';
import { readFleetStates, type FleetState } from '../plan/fleet-states.ts';
import type { Job } from '../plan/job.ts';
import type { Fleet } from './fleet.ts';
import { followJob, stateOf, type FleetChange, type FollowedJob } from './follow-job.ts';
import { isFinal } from './item-record.ts';
import { readSharedRecords } from './shared-jobs.ts';

/** A worker may have failed to copy a record. */
const REFS_MS = 30_000;

export interface WatchedJob extends FollowedJob {
  /** How many of its items have not ended. */
  readonly open: number;
}

/**
 * Follows a job for a caller that waits for it. While items run, the copies of their records in the database say what happens; the refs,
 * which count, are read when the copies say that the job may have ended or waits for a person, and from time to time.
 */
export function watchJob(fleet: Fleet, { id }: Job): (job: Job) => Promise<WatchedJob> {
  const told = new Map(
    Object.entries(readFleetStates(fleet.work.home, id)).map(([itemId, state]) => [itemId, keyOf(state)]),
  );
  const isNews = ({ itemId, state }: FleetChange): boolean => {
    const isTold = told.get(itemId) === keyOf(state);
    told.set(itemId, keyOf(state));
    return !isTold;
  };
  let readAtMs = performance.now();
  return async (job) => {
    const copies = await readCopies(fleet, job);
    const open = countOpen(job, copies ?? []);
    if (copies && isUnderway(copies) && open > 0 && performance.now() - readAtMs < REFS_MS)
      return { job, changes: copies.filter(isNews), open };
    const followed = await followJob(fleet, job);
    readAtMs = performance.now();
    return { ...followed, changes: followed.changes.filter(isNews), open };
  };
}

function keyOf({ step, attempt, at = '' }: FleetState): string {
  return `${step} ${attempt} ${at}`;
}

/** Whether no item waits for a decision, and none was cancelled. */
function isUnderway(copies: readonly FleetChange[]): boolean {
  return copies.every(({ state: { step } }) => step !== 'waiting' && step !== 'cancelled');
}

function countOpen(job: Job, copies: readonly FleetChange[]): number {
  const ended = new Set(copies.filter(({ state }) => isFinal(state)).map(({ itemId }) => itemId));
  return job.items.filter(({ id }) => !ended.has(id)).length;
}

/** What the copies say; undefined if the database is away. */
async function readCopies({ queue, work }: Fleet, job: Job): Promise<readonly FleetChange[] | undefined> {
  try {
    const records = await readSharedRecords(queue.documents, job.id);
    return [...records].map(([itemId, { record }]) => ({ itemId, state: stateOf(record, job, work.home) }));
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
