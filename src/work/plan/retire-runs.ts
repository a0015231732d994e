import { join } from 'node:path';
import { measureFolder } from '../../system/measure-folder.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import { isDamaged, unlessDamaged } from '../../base/damaged.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { listRetirable, retireCoveredFiles } from '../receipt/retired-proofs.ts';
import { openSigningKey } from '../receipt/signing-key.ts';
import { isOwnerAlive } from '../run/owner.ts';
import { jobFolder, listIds } from '../run/run-folder.ts';
import { readRunState } from '../run/run-state.ts';
import { findJob } from './job.ts';

/** The time that runs and jobs must have ended in to be retired, in ms. */
export interface RetiredTime {
  readonly since: number;
  readonly before: number;
}

export interface OldRun {
  readonly receipt: Receipt;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

export interface OldJob {
  readonly id: string;
  readonly bytes: number;
}

/** Lists the files of runs that ended in this time; receipts, items and results are not among them. */
export function listOldRuns(home: string, time: RetiredTime): readonly OldRun[] {
  return listIds(home, 'run').flatMap((id) => {
    // A damaged run or job stays as it is, for `work recover` and for backups.
    const receipt = unlessDamaged(() =>
      readRunState(home, id) === undefined ? readReceipt(home, id) : undefined,
    );
    if (receipt === undefined || !isWithin(receipt.timestamp_iso, time)) return [];
    const files = listRetirable(home, receipt);
    return files.length === 0 ? [] : [{ receipt, files }];
  });
}

/** Lists the jobs that ended in this time. */
export function listOldJobs(home: string, time: RetiredTime): readonly OldJob[] {
  return listIds(home, 'job').flatMap((id) => {
    const job = unlessDamaged(() => findJob(home, id));
    if (job?.endedAt === undefined || !isWithin(job.endedAt, time)) return [];
    if (job.owner !== undefined && isOwnerAlive(job.owner)) return [];
    if (Object.values(job.runs).some((runId) => isOpen(home, runId))) return [];
    return [{ id, bytes: measureFolder(jobFolder(home, id)) }];
  });
}

export function retireRuns(home: string, runs: readonly OldRun[], jobs: readonly OldJob[]): void {
  if (runs.length > 0) {
    const key = openSigningKey(join(home, 'keys'));
    for (const { receipt, files } of runs)
      retireCoveredFiles(
        home,
        receipt,
        files.map(({ name }) => name),
        key,
      );
  }
  for (const { id } of jobs) removeFolder(jobFolder(home, id));
}

/** A run with a damaged state counts as open. */
function isOpen(home: string, runId: string): boolean {
  try {
    return readRunState(home, runId) !== undefined;
  } catch (error) {
    if (isDamaged(error)) return true;
    throw error;
  }
}

function isWithin(time: string, { since, before }: RetiredTime): boolean {
  const ms = Date.parse(time);
  return ms >= since && ms < before;
}
