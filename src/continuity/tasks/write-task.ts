import { blockedFault } from './blocked-fault.ts';
import { Fault } from '../../base/fault.ts';
import { forgetFocus } from '../database/queries/agents.ts';
import { deleteTask as deleteTaskRow, findTask, insertTask } from '../database/queries/tasks.ts';
import { RELEASED } from '../database/task-columns.ts';
import { listDependents } from '../database/queries/dependencies.ts';
import { appendEvent } from '../events/event.ts';
import { forgetTaskMemories } from '../memory/write-memory.ts';
import { newId, type Scope } from '../scope.ts';
import {
  adjustBlockers,
  changeTask,
  count,
  logStatusChange,
  updateDependents,
  WAITING_FOR_DEPENDENCY,
} from './change-task.ts';
import { claimTask } from './claim-task.ts';
import { assertMayChange } from './holder.ts';
import { requireTask, type TaskRow, type TaskStatus } from './task.ts';

export interface NewTask {
  readonly title: string;
  readonly description: string;
  readonly projectId: string | null;
  readonly priority: number;
}

/** Creates a task in the queue. */
export async function createTask(scope: Scope, task: NewTask): Promise<{ row: TaskRow; eventId: string }> {
  const exists = async (id: string) => (await scope.db.first(findTask, { id })) !== undefined;
  const id = await newId(scope, 'task', exists);
  await scope.db.send(insertTask, {
    id,
    title: task.title,
    description: task.description,
    priority: task.priority,
    project_id: task.projectId,
    at: scope.at,
  });
  const row = await requireTask(scope.db, id);
  await count(scope, row, 'pending', 1);
  const eventId = await appendEvent(scope, {
    kind: 'task_created',
    message: task.title,
    projectId: task.projectId,
    taskId: id,
  });
  return { row, eventId };
}

/** Sets the status of a task; `in_progress` claims it, and any other status releases the claim. */
export async function setStatus(
  scope: Scope,
  id: string,
  status: TaskStatus,
  blockedReason: string | null,
): Promise<{ row: TaskRow; eventId: string }> {
  const row = await requireTask(scope.db, id);
  if (status !== 'in_progress') await assertMayChange(scope, row, `set the status to ${status}`);
  if (blockedReason !== null && status !== 'blocked') {
    throw new Fault('E_VALIDATION', 'A blocked reason requires the status blocked.', {
      hint: 'Omit the reason, or set the status to blocked.',
      details: { field: 'blocked_reason' },
    });
  }
  if (status === 'in_progress') {
    const claimed = await claimTask(scope, row, {});
    return {
      row: claimed.row,
      eventId: claimed.statusEventId ?? (await logStatusChange(scope, claimed.row, row.status)),
    };
  }
  if (status === 'pending' && row.open_dependencies > 0) throw await blockedFault(scope, row);
  const next = await changeTask(scope, row, {
    status,
    blocked_reason:
      status === 'blocked'
        ? (blockedReason ?? (row.open_dependencies > 0 ? WAITING_FOR_DEPENDENCY : null))
        : null,
    attempts: 0,
    retry_at: null,
    ...RELEASED,
  });
  const eventId = await logStatusChange(scope, next, row.status, { reason: next.blocked_reason });
  if (row.status !== 'completed' && status === 'completed') await updateDependents(scope, next, -1);
  if (row.status === 'completed' && status !== 'completed') await updateDependents(scope, next, 1);
  return { row: next, eventId };
}

export async function setPriority(
  scope: Scope,
  id: string,
  priority: number,
): Promise<{ row: TaskRow; eventId: string }> {
  const row = await requireTask(scope.db, id);
  await assertMayChange(scope, row, `set the priority to ${priority}`);
  const next = await changeTask(scope, row, { priority });
  const eventId = await appendEvent(scope, {
    kind: 'task_priority',
    message: `${id}: priority ${row.priority} → ${priority}`,
    projectId: row.project_id,
    taskId: id,
    metadata: { from: row.priority, to: priority },
  });
  return { row: next, eventId };
}

export interface Completion {
  readonly outcome: 'done' | 'blocked';
  readonly summary: string;
  readonly label?: string | undefined;
  readonly blockedReason?: string | undefined;
}

/** Completes or blocks a task, and logs the summary for the next agent. */
export async function completeTask(
  scope: Scope,
  id: string,
  completion: Completion,
): Promise<{ row: TaskRow; statusEventId: string; closeEventId: string }> {
  const done = completion.outcome === 'done';
  if (done && completion.blockedReason !== undefined) {
    throw new Fault('E_VALIDATION', 'A blocked reason requires the outcome blocked.', {
      hint: 'Omit the reason, or set the outcome to blocked.',
      details: { field: 'blocked_reason' },
    });
  }
  const reason = done ? null : (completion.blockedReason ?? `failure:${completion.summary}`).slice(0, 1000);
  const { row, eventId } = await setStatus(scope, id, done ? 'completed' : 'blocked', reason);
  const closeEventId = await appendEvent(scope, {
    kind: 'task_closed',
    message: completion.summary,
    projectId: row.project_id,
    taskId: id,
    metadata: {
      outcome: completion.outcome,
      ...(completion.label !== undefined && { label: completion.label }),
      ...(reason !== null && { blocked_reason: reason }),
    },
  });
  return { row, statusEventId: eventId, closeEventId };
}

/** Deletes a task with its artifacts, memories and dependencies, and unblocks the tasks that depend on it. Its events stay. */
export async function deleteTask(scope: Scope, id: string): Promise<{ eventId: string }> {
  const row = await requireTask(scope.db, id);
  await assertMayChange(scope, row, 'delete the task');
  const dependents = row.status === 'completed' ? [] : await scope.db.all(listDependents, { task_id: id });
  for (const { id: dependent } of dependents) {
    const current = await scope.db.first(findTask, { id: dependent });
    if (current) await adjustBlockers(scope, current, { by: -1, cause: id });
  }
  await forgetTaskMemories(scope, id);
  await scope.db.send(forgetFocus, { task_id: id });
  await scope.db.send(deleteTaskRow, { id });
  await count(scope, row, row.status, -1);
  const eventId = await appendEvent(scope, {
    kind: 'task_deleted',
    message: row.title,
    projectId: row.project_id,
    taskId: id,
  });
  return { eventId };
}
