import { Fault } from '../../base/fault.ts';
import { readFleetStates, type FleetState } from '../plan/fleet-states.ts';
import type { Job } from '../plan/job.ts';
import type { Fleet } from './fleet.ts';
import { followJob, stateOf, type Copies, type FleetChange, type FollowedJob } from './follow-job.ts';
import { isFinalRecord } from './item-record.ts';
import { readSharedRecords } from './shared-jobs.ts';

/** A worker may have failed to copy a record. */
const REFS_MS = 30_000;

export interface WatchedJob extends FollowedJob {
  /** How many of its items have not ended. */
  readonly open: number;
}

/**
 * Follows a job for a caller that waits for it. While items run, it reads only the copies of their records in the database. The refs are
 * authoritative: they are read when the copies say that the job may have ended or waits for a person, and at intervals.
 */
export function watchJob(fleet: Fleet, { id }: Job): (job: Job) => Promise<WatchedJob> {
  const reported = new Map(
    Object.entries(readFleetStates(fleet.work.home, id)).map(([itemId, state]) => [itemId, keyOf(state)]),
  );
  const isNew = ({ itemId, state }: FleetChange): boolean => {
    const isReported = reported.get(itemId) === keyOf(state);
    reported.set(itemId, keyOf(state));
    return !isReported;
  };
  let readAtMs = performance.now();
  return async (job) => {
    const copies = await readCopies(fleet, job);
    const open = countOpen(job, copies ?? new Map());
    if (copies && isUnderway(copies) && open > 0 && performance.now() - readAtMs < REFS_MS)
      return { job, changes: changesOf(copies, job, fleet.work.home).filter(isNew), open };
    const followed = await followJob(fleet, job, copies);
    readAtMs = performance.now();
    return { ...followed, changes: followed.changes.filter(isNew), open };
  };
}

function keyOf({ step, attempt, at = '' }: FleetState): string {
  return `${step} ${attempt} ${at}`;
}

/** Whether no item waits for a decision, and none was cancelled. */
function isUnderway(copies: Copies): boolean {
  return [...copies.values()].every(({ record: { step } }) => step !== 'waiting' && step !== 'cancelled');
}

function countOpen(job: Job, copies: Copies): number {
  return job.items.filter(({ id }) => {
    const copy = copies.get(id);
    return copy === undefined || !isFinalRecord(copy.record);
  }).length;
}

function changesOf(copies: Copies, job: Job, home: string): readonly FleetChange[] {
  return [...copies].map(([itemId, { record }]) => ({ itemId, state: stateOf(record, job, home) }));
}

/** Reads the copies of the records; undefined if the database is unreachable. */
async function readCopies({ queue }: Fleet, { id }: Job): Promise<Copies | undefined> {
  try {
    return await readSharedRecords(queue.documents, id);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
