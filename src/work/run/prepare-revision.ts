import { join } from 'node:path';
import { requireReceipt } from '../receipt/read-receipt.ts';
import type { WorkContext } from '../work-context.ts';
import { placeFile } from '../workspace/place-file.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { reapplyChanges } from './reapply-changes.ts';
import { diffRun, readChanges } from './diff-run.ts';
import { renderReview, type Review } from './render-review.ts';
import type { Revision } from './revision.ts';
import { readResult } from './run-records.ts';

/** A revised item, ready for its agent. */
export interface PreparedRevision {
  /** The message about the review. */
  readonly message: string;
  /** Variables that name the file with the review. */
  readonly env: Readonly<Record<string, string>>;
}

/** Reapplies the changes of the run that was sent back, and writes the review for its agent. */
export async function prepareRevision(
  context: WorkContext,
  workspace: Workspace,
  { of: runId, comment }: Revision,
  env: Readonly<Record<string, string>>,
): Promise<PreparedRevision> {
  const conflict = await reapplyChanges(context, workspace, readChanges(context.home, runId), env);
  const { text } = await diffRun(context, runId);
  const result = readResult(context.home, requireReceipt(context.home, runId));
  const review: Review = {
    of: runId,
    comment,
    outcome: result?.denial_reason ?? result?.error ?? 'it was promoted',
    diff: text,
    testOutput: result?.test_output,
    reapplied: conflict ?? true,
  };
  const name = 'review.json';
  placeFile(join(workspace.scratch.host, name), JSON.stringify(review), 0o644);
  return { message: renderReview(review), env: { DEED_REVIEW: join(workspace.scratch.inside, name) } };
}
