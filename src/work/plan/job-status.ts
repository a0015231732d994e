import { isOwnerAlive } from '../run/owner.ts';
import { isEnded, itemState, runState, type ItemState, type Job } from './job.ts';

/** The states of an asynchronous job, as the machine contract lists them. */
export type JobStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface JobView {
  readonly status: JobStatus;
  /** From 0 to 1: how many items have ended. */
  readonly progress: number;
  readonly etaSeconds: number | null;
  readonly items: readonly { readonly id: string; readonly state: ItemState }[];
  /** Runs that wait for a person. */
  readonly waiting: readonly string[];
  /** The process that drove it is gone before its end. */
  readonly lost: boolean;
}

/** Tells how a job stands, from what is on disk. */
export function viewJob(home: string, job: Job, nowMs: number): JobView {
  const items = job.items
    .map(({ id }) => ({ id, state: itemState(home, job, id) }))
    .filter(({ id, state }) => state.status !== 'pending' || !isReconcilersOwn(job, id));
  const ended = items.filter(({ state }) => isEnded(state)).length;
  const waiting = items.flatMap(({ state }) => (state.status === 'waiting' ? [state.runId ?? ''] : []));
  const driven = job.owner !== undefined && isOwnerAlive(job.owner);
  const lost = !driven && job.endedAt === undefined && job.cancelled !== true && job.owner !== undefined;
  const progress = items.length === 0 ? 1 : ended / items.length;
  const spentMs = nowMs - Date.parse(job.createdAt);
  return {
    status: statusOf(home, job, items, driven, lost),
    progress: Math.round(progress * 100) / 100,
    etaSeconds: driven && progress > 0 ? Math.round((spentMs / progress - spentMs) / 1000) : null,
    items,
    waiting,
    lost,
  };
}

function statusOf(
  home: string,
  job: Job,
  items: JobView['items'],
  driven: boolean,
  lost: boolean,
): JobStatus {
  if (driven) return 'running';
  if (job.cancelled === true) return 'cancelled';
  if (lost) return 'failed';
  if (job.endedAt === undefined) return 'pending';
  const whole = job.reconciledBy === undefined ? undefined : runState(home, job.reconciledBy);
  const fine =
    items.every(({ state }) => state.status === 'success') &&
    (whole === undefined || whole.status === 'success');
  return fine ? 'succeeded' : 'failed';
}

/** The reconciler's item has no run of its own: the job's last run is it. */
function isReconcilersOwn(job: Job, id: string): boolean {
  return job.endedAt !== undefined && job.items.some((item) => item.id === id && item.agent_id === 'agent-0');
}
