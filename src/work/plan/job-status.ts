import { RECONCILER } from '../item/work-item.ts';
import { isOwnerAlive } from '../run/owner.ts';
import { isEnded, type ItemState } from './item-state.ts';
import { itemStateOrDamage, runStateOrDamage, type Job } from './job.ts';

/** The states of an asynchronous job in the machine contract. */
export type JobStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface JobView {
  readonly status: JobStatus;
  /** From 0 to 1: the share of items that have ended. */
  readonly progress: number;
  readonly etaSeconds: number | null;
  readonly items: readonly { readonly id: string; readonly state: ItemState }[];
  /** Runs that wait for approval. */
  readonly waiting: readonly string[];
  /** The process that ran the job exited before the job ended. */
  readonly driverExited: boolean;
}

/** Computes the state of a job from its files. */
export function viewJob(home: string, job: Job, nowMs: number): JobView {
  const items = job.items
    .map(({ id }) => ({ id, state: itemStateOrDamage(home, job, id) }))
    .filter(({ id, state }) => state.status !== 'pending' || !isReconcilerItem(job, id));
  const ended = items.filter(({ state }) => isEnded(state)).length;
  const waiting = items.flatMap(({ state }) => (state.status === 'waiting' ? [state.runId ?? ''] : []));
  const isRunning = isWorkedOn(job);
  const driverExited =
    !isRunning && job.endedAt === undefined && job.cancelled !== true && job.owner !== undefined;
  const progress = items.length === 0 ? 1 : ended / items.length;
  // The host that submitted the job may have another clock.
  const spentMs = Math.max(0, nowMs - Date.parse(job.createdAt));
  return {
    status: statusOf(home, job, items, isRunning, driverExited),
    progress: Math.round(progress * 100) / 100,
    etaSeconds: isRunning && progress > 0 ? Math.round((spentMs / progress - spentMs) / 1000) : null,
    items,
    waiting,
    driverExited,
  };
}

/** A job in a queue runs until it ends, because every host may work on it. */
function isWorkedOn({ fleet, owner, endedAt, cancelled }: Job): boolean {
  if (fleet !== undefined) return endedAt === undefined && cancelled !== true;
  return owner !== undefined && isOwnerAlive(owner);
}

function statusOf(
  home: string,
  job: Job,
  items: JobView['items'],
  isRunning: boolean,
  driverExited: boolean,
): JobStatus {
  if (isRunning) return 'running';
  if (job.cancelled === true) return 'cancelled';
  if (driverExited) return 'failed';
  if (job.endedAt === undefined) return 'pending';
  const reconciled = job.reconciledBy === undefined ? undefined : runStateOrDamage(home, job.reconciledBy);
  const succeeded =
    items.every(({ state }) => state.status === 'success') &&
    (reconciled === undefined || reconciled.status === 'success');
  return succeeded ? 'succeeded' : 'failed';
}

/** The reconciler's item has no separate run; `reconciledBy` of the job is its run. */
function isReconcilerItem(job: Job, id: string): boolean {
  return (
    job.endedAt !== undefined && job.items.some((item) => item.id === id && item.agent_id === RECONCILER)
  );
}
