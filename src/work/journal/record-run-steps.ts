import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Receipt } from '../receipt/receipt.ts';
import type { RunDraft } from '../run/run-draft.ts';
import { readResult } from '../run/run-records.ts';
import type { WorkContext } from '../work-context.ts';
import { warnJournal } from './outbox.ts';
import type { RunOutcome, RecordedRun } from './run-journal.ts';

type RunFields = Pick<RunDraft, 'runId' | 'jobId' | 'item' | 'root' | 'staged'>;

/**
 * Records the start of a run and returns its task. A failing journal does not stop the run, but a task claimed by another agent does:
 * the work would be done twice.
 */
export async function journalStarted(context: WorkContext, run: RunFields): Promise<Partial<RunDraft>> {
  try {
    return (await context.journal?.started(toRecordedRun(run))) ?? {};
  } catch (error) {
    if (run.item.task_id !== undefined && error instanceof Fault && error.code === 'E_CONFLICT') {
      const denial = { reason: 'shard_conflict', message: error.message } as const;
      return { status: 'denied', code: 'E_CONFLICT', denial };
    }
    warnJournal(context, run.runId, error);
    return {};
  }
}

export async function journalWaiting(context: WorkContext, run: RunFields): Promise<void> {
  try {
    await context.journal?.waiting(toRecordedRun(run));
  } catch (error) {
    warnJournal(context, run.runId, error);
  }
}

/** Creates the outcome from the receipt, so that a run that is finished twice has the same outcome. */
export function outcomeOf(home: string, run: RunFields, receipt: Receipt): RunOutcome {
  const done = receipt.status === 'success' && receipt.phase === 'tranche';
  const changed = done ? receipt.artifacts : [];
  const count = (type: string): number => changed.filter((artifact) => artifact.type === type).length;
  const result = readResult(home, receipt);
  const { tests_passed, tests_failed } = result?.metrics ?? {};
  return {
    ...toRecordedRun(run),
    phase: receipt.phase,
    status: receipt.status,
    began: receipt.phase === 'tranche' && receipt.denial?.reason !== 'dependency_failed',
    interrupted: receipt.code === 'E_INTERRUPTED',
    ...(reasonOf(receipt) !== undefined && { reason: reasonOf(receipt) }),
    receiptId: receipt.id,
    receiptHash: receipt.receipt_hash,
    files: changed.flatMap(({ path, content_hash, metadata }) =>
      path === undefined || content_hash === null || metadata?.kind !== 'file'
        ? []
        : [{ path: join(run.root, path), sizeBytes: Number(metadata.bytes), blake3: content_hash }],
    ),
    writes: done ? (run.staged ?? []) : [],
    counts: { created: count('create'), modified: count('edit'), deleted: count('delete') },
    ...(tests_passed !== undefined && { tests: { passed: tests_passed, failed: tests_failed ?? 0 } }),
  };
}

export function toRecordedRun({ runId, jobId, item, root }: RunFields): RecordedRun {
  return {
    runId,
    jobId,
    itemId: item.id,
    agentId: item.agent_id,
    description: item.description,
    root,
    timeoutMs: item.constraints.timeout_ms,
    ...(item.task_id !== undefined && { taskId: item.task_id }),
  };
}

function reasonOf({ denial, error, rolls_back }: Receipt): string | undefined {
  return denial?.message ?? error ?? (rolls_back === undefined ? undefined : `${rolls_back} was rolled back`);
}
