import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { readJob } from '../plan/job.ts';
import { readChain } from '../receipt/receipt-chain.ts';
import { requireReceipt } from '../receipt/read-receipt.ts';
import type { Receipt } from '../receipt/receipt.ts';
import type { WorkContext } from '../work-context.ts';
import { isSameEntry } from '../workspace/list-changes.ts';
import { readLiveEntry } from '../workspace/read-live-entry.ts';
import type { TreeEntry } from '../workspace/workspace.ts';
import { requirePromoted, rollbackRun, wasRolledBack, type RolledBack } from './rollback-run.ts';
import { chainPath } from './run-folder.ts';
import { readChangesRecord } from './run-records.ts';

/** Returns the receipts of a job's runs that can be rolled back, the last promoted first. */
export function listPromoted(home: string, jobId: string): readonly Receipt[] {
  const runs = new Set(Object.values(readJob(home, jobId).runs));
  const chain = readChain(chainPath(home));
  const rollbacks = chain.filter(({ phase }) => phase === 'rollback');
  const receipts = chain
    .filter(({ run_id, phase }) => runs.has(run_id) && phase === 'tranche')
    .map(({ run_id }) => requireReceipt(home, run_id));
  const open = receipts.filter(
    (receipt) => receipt.status === 'success' && !wasRolledBack(home, receipt, rollbacks),
  );
  if (open.length > 0) return open.toReversed();
  throw new Fault('E_CONFLICT', `Job "${jobId}" has no promoted run that could be rolled back.`, {
    details: { field: 'job', id: jobId },
  });
}

/**
 * Rolls back all promoted runs of a job, the last one first. If a file was changed since by anyone else, nothing is rolled back.
 */
export async function rollbackJob(
  context: WorkContext,
  jobId: string,
  by: string,
): Promise<readonly RolledBack[]> {
  const promoted = listPromoted(context.home, jobId);
  for (const { run_id } of promoted) requirePromoted(context.home, run_id);
  const changed = findChanged(context.home, promoted);
  if (changed.length > 0) {
    throw new Fault(
      'E_CONFLICT',
      `Changed since job ${jobId}: ${changed.join(', ')}; nothing was rolled back.`,
      {
        hint: 'Undo these changes, or roll back single runs with "work rollback <run id>".',
        details: { paths: [...changed], reason: 'drift' },
      },
    );
  }
  const done: RolledBack[] = [];
  for (const { run_id } of promoted) done.push(await rollbackRun(context, run_id, by));
  return done;
}

/** The paths that were changed after the last run of the job that wrote them. */
function findChanged(home: string, promoted: readonly Receipt[]): readonly string[] {
  const last = new Map<string, TreeEntry | undefined>();
  // The last promoted run comes first.
  for (const receipt of promoted) {
    for (const { path, after, type } of readChangesRecord(home, receipt)?.changes ?? []) {
      const at = join(receipt.root, path);
      if (type !== 'dir' && !last.has(at)) last.set(at, after);
    }
  }
  return [...last].flatMap(([path, after]) => {
    const now = readLiveEntry(path);
    const isSame = after === undefined || now === undefined ? after === now : isSameEntry(after, now);
    return isSame ? [] : [path];
  });
}
