import type { Scope } from '../scope.ts';
import { claimTime } from '../store-clock.ts';
import { claimTask, type ClaimResult } from '../tasks/claim-task.ts';
import { readNextTask } from '../tasks/read-tasks.ts';
import { setFocus } from './resume-work.ts';

export interface TakenTask extends ClaimResult {
  readonly focusEventId: string;
}

/** Claims the next ready task and makes it the focus of the caller, in one transaction; undefined if no task is ready. */
export async function takeTask(
  scope: Scope,
  { projectId, leaseMs }: { readonly projectId: string | undefined; readonly leaseMs: number | undefined },
): Promise<TakenTask | undefined> {
  const row = await readNextTask(scope.db, projectId, claimTime(scope));
  if (row === undefined) return undefined;
  const claimed = await claimTask(scope, row, { leaseMs });
  return { ...claimed, focusEventId: await setFocus(scope, row.id, row.project_id) };
}
