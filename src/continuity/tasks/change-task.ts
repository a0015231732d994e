import { Fault } from '../../base/fault.ts';
import { listDependents } from '../database/queries/dependencies.ts';
import { adjustCount, updateTask } from '../database/queries/tasks.ts';
import { appendEvent } from '../events/event.ts';
import type { Scope } from '../scope.ts';
import type { TaskRow, TaskStatus } from './task.ts';

/** The reason that the store itself gives to a task that waits for others; it is lifted by the store as well. */
export const WAITS = 'dependency';

export type TaskChange = Partial<
  Pick<
    TaskRow,
    | 'priority'
    | 'blocked_reason'
    | 'open_dependencies'
    | 'claimed_by'
    | 'claimed_at'
    | 'claim_expires_at'
    | 'claim_lease_ms'
  >
> & { readonly status?: TaskStatus };

/** Writes a change of one task, at the version it was read at, and keeps the counts. Returns the task as it is now. */
export async function changeTask(scope: Scope, row: TaskRow, change: TaskChange): Promise<TaskRow> {
  const next: TaskRow = { ...row, ...change, version: row.version + 1, updated_at: scope.at };
  const touched = await scope.session.run(updateTask, {
    id: row.id,
    version: row.version,
    status: next.status,
    priority: next.priority,
    blocked_reason: next.blocked_reason,
    open_dependencies: next.open_dependencies,
    claimed_by: next.claimed_by,
    claimed_at: next.claimed_at,
    claim_expires_at: next.claim_expires_at,
    claim_lease_ms: next.claim_lease_ms,
    at: scope.at,
  });
  if (touched !== 1) {
    throw new Fault('E_CONFLICT', `The task ${row.id} was changed by somebody else meanwhile.`, {
      hint: 'Read it again, then repeat the call.',
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
  await scope.session.run(adjustCount, { project_id: row.project_id ?? '', status, by });
}

export const RELEASED = {
  claimed_by: null,
  claimed_at: null,
  claim_expires_at: null,
  claim_lease_ms: null,
} as const;

/** Notes a change of status in the log. */
export function noteStatus(
  scope: Scope,
  row: TaskRow,
  from: string,
  extra: { readonly cause?: string; readonly reason?: string | null } = {},
): Promise<number> {
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
 * Tells the tasks that wait for this one that it was closed or opened again. A task whose last blocker closed goes back to the queue; one
 * that has to wait again leaves it. Each change is an entry in the log.
 */
export async function tellDependents(scope: Scope, row: TaskRow, by: 1 | -1): Promise<void> {
  for (const dependent of await scope.session.all(listDependents, { task_id: row.id })) {
    await adjustBlockers(scope, dependent, by, row.id);
  }
}

/** Changes how many open tasks a task waits for, and its status where that follows. */
export async function adjustBlockers(
  scope: Scope,
  row: TaskRow,
  by: 1 | -1,
  cause: string,
): Promise<TaskRow> {
  const open = row.open_dependencies + by;
  const freed = open === 0 && row.status === 'blocked' && row.blocked_reason === WAITS;
  const held = open > 0 && (row.status === 'pending' || row.status === 'in_progress');
  const next = await changeTask(scope, row, {
    open_dependencies: open,
    ...(freed && { status: 'pending', blocked_reason: null }),
    ...(held && { status: 'blocked', blocked_reason: WAITS, ...RELEASED }),
  });
  if (freed || held) await noteStatus(scope, next, row.status, { cause });
  return next;
}
