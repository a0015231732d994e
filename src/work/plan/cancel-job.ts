import { Fault } from '../../base/fault.ts';
import { sleep } from '../../base/sleep.ts';
import { withLock } from '../../system/lock.ts';
import { signalProcesses } from '../../system/process-tree.ts';
import { isOwnerAlive, type OwnerProcess } from '../run/owner.ts';
import { jobFolder } from '../run/run-folder.ts';
import { readJob, writeJob, type Job } from './job.ts';

const POLL_INTERVAL_MS = 50;
const WAIT_MS = 10_000;

/** Returns a job that has not ended: a process runs it, or its process exited before the end. */
export function requireUnended(home: string, id: string): Job & { readonly owner: OwnerProcess } {
  const job = readJob(home, id);
  // A process that ends a job removes itself from it.
  if (job.owner !== undefined) return { ...job, owner: job.owner };
  throw new Fault('E_CONFLICT', `The job ${id} is not running.`, {
    hint: `"deed work status ${id}" shows its state.`,
    details: { field: 'id', id },
  });
}

/** Stops the process that runs a job, if it has not exited, and waits until it has: unfinished runs are dropped, finished ones stay. */
export async function cancelJob(home: string, id: string): Promise<Job> {
  const { owner } = requireUnended(home, id);
  if (!isOwnerAlive(owner)) return cancelExited(home, id);
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

/** Cancels a job whose process exited. Its lock is held, because another process may resume it. */
function cancelExited(home: string, id: string): Promise<Job> {
  return withLock(
    `${jobFolder(home, id)}.lock`,
    async () => {
      const { owner: _, ...job } = requireUnended(home, id);
      return writeJob(home, { ...job, cancelled: true });
    },
    { waitMs: 0, nothingChangedYet: true },
  );
}
