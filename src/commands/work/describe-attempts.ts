import { ownMember } from '../../base/own-member.ts';
import { unlessDamaged } from '../../base/damaged.ts';
import type { JsonObject } from '../../base/json.ts';
import { findJob } from '../../work/plan/job.ts';
import { readReceipt } from '../../work/receipt/read-receipt.ts';
import { describeRunOrDamage, type RunRow } from '../../work/run/describe-run.ts';
import { readDraft } from '../../work/run/stored-draft.ts';

export interface RunAttempts {
  /** Why this run is not the first one of its item. */
  readonly revision: JsonObject | null;
  /** All runs of the item in its job, the oldest first, each with the comment it answers. */
  readonly attempts: { run_id: string; status: string; comment?: string }[];
}

/** Describes the attempts at the item of a run. */
export function describeAttempts(
  home: string,
  runId: string,
  { job_id: jobId, item_id: itemId }: RunRow,
): RunAttempts {
  const revision = revisionOf(home, runId);
  const job = jobId === null ? undefined : unlessDamaged(() => findJob(home, jobId));
  const ids = ownMember(job?.attempts, itemId) ?? [runId];
  return {
    revision: revision ?? null,
    attempts: ids.map((id) => {
      const comment = revisionOf(home, id)?.comment;
      return {
        run_id: id,
        status: describeRunOrDamage(home, id)?.status ?? 'lost',
        ...(typeof comment === 'string' && { comment }),
      };
    }),
  };
}

function revisionOf(home: string, runId: string): JsonObject | undefined {
  return unlessDamaged(() => {
    const revision = readDraft(home, runId)?.revision ?? readReceipt(home, runId)?.revision;
    return revision && { ...revision };
  });
}
