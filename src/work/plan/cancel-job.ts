import { Fault } from '../../base/fault.ts';
import { sleep } from '../../base/sleep.ts';
import { signalProcesses } from '../../system/process-tree.ts';
import { isOwnerAlive, type OwnerProcess } from '../run/owner.ts';
import { readJob, type Job } from './job.ts';

const POLL_INTERVAL_MS = 50;
const WAIT_MS = 10_000;

/** Returns a job that a live process is running. */
export function requireRunning(home: string, id: string): Job & { readonly owner: OwnerProcess } {
  const job = readJob(home, id);
  if (job.owner !== undefined && isOwnerAlive(job.owner)) return { ...job, owner: job.owner };
  throw new Fault('E_CONFLICT', `The job ${id} is not running.`, {
    hint: `"deed work status ${id}" shows its state.`,
    details: { field: 'id', id },
  });
}

/** Stops the process that runs a job and waits until it has stopped: unfinished runs are dropped, finished ones stay. */
export async function cancelJob(home: string, id: string): Promise<Job> {
  const { owner } = requireRunning(home, id);
  signalProcesses([owner], 'SIGTERM');
  for (let waited = 0; waited < WAIT_MS; waited += POLL_INTERVAL_MS) {
    const job = readJob(home, id);
    if (job.owner === undefined || !isOwnerAlive(owner)) return job;
    await sleep(POLL_INTERVAL_MS);
  }
  throw new Fault('E_TIMEOUT', `The job ${id} did not stop within ${WAIT_MS} ms.`, {
    details: { id, pid: owner.pid },
  });
}
