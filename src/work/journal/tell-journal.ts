import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Receipt } from '../receipt/receipt.ts';
import type { RunDraft } from '../run/run-draft.ts';
import { runFolder } from '../run/run-folder.ts';
import { readDocument } from '../run/json-document.ts';
import type { RunResult } from '../run/run-result.ts';
import type { WorkContext } from '../work-context.ts';
import { warnOf } from './outbox.ts';
import type { RunEnding, RunNote } from './run-journal.ts';

type Known = Pick<RunDraft, 'runId' | 'jobId' | 'item' | 'root' | 'staged'>;

/**
 * Writes down that a run begins and gives its task. A journal in trouble does not keep work from being done, but a task that
 * somebody else has taken does: the same work would be done twice.
 */
export async function tellBegan(context: WorkContext, run: Known): Promise<Partial<RunDraft>> {
  try {
    return (await context.journal?.began(noteOf(run))) ?? {};
  } catch (error) {
    if (run.item.task_id !== undefined && error instanceof Fault && error.code === 'E_CONFLICT') {
      const denial = { reason: 'shard_conflict', message: error.message } as const;
      return { status: 'denied', code: 'E_CONFLICT', denial };
    }
    warnOf(context, run.runId, error);
    return {};
  }
}

export async function tellWaits(context: WorkContext, run: Known): Promise<void> {
  try {
    await context.journal?.waits(noteOf(run));
  } catch (error) {
    warnOf(context, run.runId, error);
  }
}

/** What the journal is told of an end is what the receipt says: a run that is ended a second time has the receipt of the first. */
export function endingOf(home: string, run: Known, receipt: Receipt): RunEnding {
  const done = receipt.status === 'success' && receipt.phase === 'tranche';
  const changed = done ? receipt.artifacts : [];
  const count = (type: string): number => changed.filter((artifact) => artifact.type === type).length;
  const result = readDocument<RunResult>(join(runFolder(home, run.runId), 'result.json'));
  const { tests_passed, tests_failed } = result?.metrics ?? {};
  return {
    ...noteOf(run),
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

export function noteOf({ runId, jobId, item, root }: Known): RunNote {
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
  return denial?.message ?? error ?? (rolls_back === undefined ? undefined : `${rolls_back} was taken back`);
}
