import { Fault } from '../../base/fault.ts';
import { listDependents } from '../database/queries/dependencies.ts';
import { adjustCount, updateTask } from '../database/queries/tasks.ts';
import { RELEASED } from '../database/task-columns.ts';
import { appendEvent } from '../events/event.ts';
import type { Scope } from '../scope.ts';
import { isClaimedByOther, isHolder, recordLostClaim } from './holder.ts';
import type { TaskRow, TaskStatus } from './task.ts';
import { claimTime } from '../store-clock.ts';

/** The blocked reason that the store sets and clears itself, for tasks with open dependencies. */
export const WAITING_FOR_DEPENDENCY = 'dependency';

export type TaskChange = Partial<
  Pick<
    TaskRow,
    | 'title'
    | 'description'
    | 'priority'
    | 'blocked_reason'
    | 'open_dependencies'
    | 'claimed_by'
    | 'claimed_at'
    | 'claim_expires_at'
    | 'claim_lease_ms'
    | 'claim_session'
    | 'claim_number'
    | 'attempts'
    | 'retry_at'
  >
> & { readonly status?: TaskStatus };

/**
 * Updates a task, if its version is unchanged, and the task counts. A change that ends the claim of another holder gives the task a new claim
 * number. Returns the new row.
 */
export async function changeTask(scope: Scope, row: TaskRow, change: TaskChange): Promise<TaskRow> {
  const isTaken = change.claimed_by !== undefined && row.claimed_by !== null && !isHolder(row, scope);
  if (isTaken) await recordLostClaim(scope, row);
  const claim_number = isTaken ? row.claim_number + 1 : row.claim_number;
  const next: TaskRow = { ...row, claim_number, ...change, version: row.version + 1, updated_at: scope.at };
  const changed = await scope.db.run(updateTask, {
    ...next,
    version: row.version,
    at: scope.at,
  });
  if (changed !== 1) {
    throw new Fault('E_CONFLICT', `The task ${row.id} was changed by another process.`, {
      hint: 'Read the task again, then retry.',
      details: { reason: 'changed', id: row.id },
    });
  }
  if (next.status !== row.status) {
    await count(scope, row, row.status, -1);
    await count(scope, row, next.status, 1);
  }
  return next;
}

export async function count(scope: Scope, row: TaskRow, status: string, by: number): Promise<void> {
  await scope.db.send(adjustCount, { project_id: row.project_id ?? '', status, by });
}

/** Appends a status change to the log. */
export function logStatusChange(
  scope: Scope,
  row: TaskRow,
  from: string,
  extra: { readonly cause?: string; readonly reason?: string | null } = {},
): Promise<string> {
  return appendEvent(scope, {
    kind: 'task_status',
    message: `${row.id}: ${from} → ${row.status}`,
    projectId: row.project_id,
    taskId: row.id,
    metadata: {
      from,
      to: row.status,
      ...(extra.cause !== undefined && { cause: extra.cause }),
      ...(extra.reason && { blocked_reason: extra.reason }),
    },
  });
}

/**
 * Updates the tasks that depend on a task that was completed or reopened. A task whose last blocker was completed returns to the queue;
 * one with a reopened blocker leaves it, unless another holder is working on it. Each change is logged.
 */
export async function updateDependents(scope: Scope, row: TaskRow, by: 1 | -1): Promise<void> {
  for (const dependent of await scope.db.all(listDependents, { task_id: row.id })) {
    const keepStatus = isClaimedByOther(dependent, scope, claimTime(scope));
    await adjustBlockers(scope, dependent, { by, cause: row.id, keepStatus });
  }
}

/** Changes the number of open blockers of a task, and its status if needed. */
export async function adjustBlockers(
  scope: Scope,
  row: TaskRow,
  { by, cause, keepStatus = false }: { by: 1 | -1; cause: string; keepStatus?: boolean },
): Promise<TaskRow> {
  const open = row.open_dependencies + by;
  const unblocked = open === 0 && row.status === 'blocked' && row.blocked_reason === WAITING_FOR_DEPENDENCY;
  const blocked = by === 1 && !keepStatus && (row.status === 'pending' || row.status === 'in_progress');
  const next = await changeTask(scope, row, {
    open_dependencies: open,
    ...(unblocked && { status: 'pending', blocked_reason: null }),
    ...(blocked && { status: 'blocked', blocked_reason: WAITING_FOR_DEPENDENCY, ...RELEASED }),
  });
  if (unblocked || blocked) await logStatusChange(scope, next, row.status, { cause });
  return next;
}
