import type { SeenWorker } from './work-queue.ts';

/** A worker announces itself every five seconds. Its age does not depend on the clocks of hosts. */
export const LOST_AFTER_MS = 20_000;

/** A job in a queue, and its items that have not ended. */
export interface HeldJob {
  readonly queue: string;
  /** The name of the queue in the database. */
  readonly queueName: string;
  /** The items that no worker has taken, with the labels that they require. */
  readonly pending: readonly { readonly id: string; readonly requires?: readonly string[] | undefined }[];
}

/** Says why a job in a queue cannot continue at present, and what to do; undefined if it can. */
export function explainHold(job: HeldJob, seen: readonly SeenWorker[]): string | undefined {
  const alive = seen.filter(
    ({ queueName, ageMs, draining }) => queueName === job.queueName && ageMs <= LOST_AFTER_MS && !draining,
  );
  const workers = alive.filter(({ role }) => role === 'worker');
  return (
    (job.pending.length > 0 ? explainPending(job, workers) : undefined) ??
    explainLanding(
      job,
      alive.filter(({ role }) => role === 'integrator'),
    )
  );
}

function explainPending({ queue, pending }: HeldJob, workers: readonly SeenWorker[]): string | undefined {
  const option = queue === 'default' ? '' : ` --queue ${queue}`;
  if (workers.length === 0)
    return `No worker serves the queue "${queue}" of this repository. Start one in a clone: deed worker start${option}`;
  for (const { id, requires = [] } of pending) {
    const able = workers.filter(({ labels }) => requires.every((label) => labels.includes(label)));
    const labels = requires.join(',');
    if (able.length === 0)
      return `No worker of the queue "${queue}" has what item "${id}" requires: ${requires.join(', ')}. Start one on a host that has it: deed worker start${option} --labels ${labels}`;
    const paused = able[0]?.paused;
    if (paused !== undefined && able.every((worker) => worker.paused !== undefined)) return paused;
  }
  return undefined;
}

function explainLanding({ queue }: HeldJob, integrators: readonly SeenWorker[]): string | undefined {
  const option = queue === 'default' ? '' : ` --queue ${queue}`;
  if (integrators.length === 0)
    return `No integrator serves the queue "${queue}" of this repository, so no result lands. Start one in a clone: deed integrator start${option}`;
  const problem = integrators[0]?.paused;
  return integrators.every(({ paused }) => paused !== undefined) && problem !== undefined
    ? `No result lands: ${problem}`
    : undefined;
}
