import { listSessionClaims } from '../database/queries/claims.ts';
import { resumeWork, setFocus } from '../focus/resume-work.ts';
import type { Scope } from '../scope.ts';
import { claimTask } from '../tasks/claim-task.ts';
import { requireTask, type TaskRow } from '../tasks/task.ts';
import { describePreviousAttempt, returnTask, type AttemptLimits } from './attempt.ts';

/** Short, because the loop renews its claims: the tasks of a killed loop are free again after this time at the latest. */
export const LOOP_LEASE_MS = 5 * 60_000;
const BUDGET_TOKENS = 1500;
const MAX_DELTAS = 100;

export interface LoopClaim {
  readonly task: TaskRow;
  readonly prompt: string;
}

export interface LoopRequest extends AttemptLimits {
  readonly agent: string;
  readonly projectId: string | undefined;
  /** The command line for `vybe` in the prompt. */
  readonly vybe?: string | undefined;
}

/** Chooses and claims the next task. Both are in one transaction, so two loops never get the same task. */
export async function claimNext(scope: Scope, loop: LoopRequest): Promise<LoopClaim | undefined> {
  const { agent, projectId, vybe } = loop;
  const request = {
    agent,
    projectId,
    vybe,
    limit: MAX_DELTAS,
    focus: undefined,
    budgetTokens: BUDGET_TOKENS,
    toClaim: true,
  };
  const { focus_task_id } = await resumeWork(scope, request);
  if (focus_task_id === null) return undefined;
  const row = await requireTask(scope.db, focus_task_id);
  const { row: task } = await claimTask(scope, row, { leaseMs: LOOP_LEASE_MS });
  await setFocus(scope, row.id, row.project_id);
  const { prompt } = await resumeWork(scope, { ...request, focus: row.id });
  const previous = await describePreviousAttempt(scope.db, task, loop);
  return { task, prompt: previous === undefined ? prompt : `${prompt}\n${previous}\n` };
}

/** Returns the tasks that the session of the caller still holds to the queue, for a loop that was killed. */
export async function returnSessionTasks(scope: Scope): Promise<number> {
  const rows = await scope.db.all(listSessionClaims, {
    agent: scope.agent,
    session: scope.claimSession ?? '',
  });
  for (const row of rows) await returnTask(scope, row);
  return rows.length;
}
