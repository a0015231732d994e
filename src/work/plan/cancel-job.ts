import { Fault } from '../../base/fault.ts';
import { sleep } from '../../base/sleep.ts';
import { signalProcesses } from '../../system/process-tree.ts';
import { isOwnerAlive, type Owner } from '../run/owner.ts';
import { readJob, type Job } from './job.ts';

const LOOK_EVERY_MS = 50;
const WAIT_MS = 10_000;

/** Accepts a job that a process drives at the moment. */
export function requireDriven(home: string, id: string): Job & { readonly owner: Owner } {
  const job = readJob(home, id);
  if (job.owner !== undefined && isOwnerAlive(job.owner)) return { ...job, owner: job.owner };
  throw new Fault('E_CONFLICT', `The job ${id} is not running.`, {
    hint: `"deed work status ${id}" tells how it stands.`,
    details: { field: 'id', id },
  });
}

/** Asks the process that drives a job to stop, and waits until it has: what was under way is dropped, what was done stays. */
export async function cancelJob(home: string, id: string): Promise<Job> {
  const { owner } = requireDriven(home, id);
  signalProcesses([owner], 'SIGTERM');
  for (let waited = 0; waited < WAIT_MS; waited += LOOK_EVERY_MS) {
    const job = readJob(home, id);
    if (job.owner === undefined || !isOwnerAlive(owner)) return job;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Fault('E_TIMEOUT', `The job ${id} did not stop within ${WAIT_MS} ms.`, {
    details: { id, pid: owner.pid },
  });
}
