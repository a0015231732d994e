import { Fault } from '../../base/fault.ts';
import {
  deleteDependency,
  findDependency,
  insertDependency,
  reaches,
} from '../database/queries/dependencies.ts';
import type { QueryRunner } from '../database/database.ts';
import { appendEvent } from '../events/event.ts';
import type { Scope } from '../scope.ts';
import { adjustBlockers } from './change-task.ts';
import { assertMayChange } from './holder.ts';
import { requireTask, type DependencyKind, type TaskRow } from './task.ts';

export interface LinkResult {
  readonly changed: boolean;
  readonly eventId: string | undefined;
}

/** Adds a dependency. Only `blocks` keeps a task out of the queue, and only `blocks` dependencies must not form a cycle. */
export async function addDependency(
  scope: Scope,
  id: string,
  dependsOn: string,
  kind: DependencyKind,
): Promise<LinkResult> {
  const { row, other, isKnown } = await checkDependency(scope.db, id, dependsOn, kind);
  await assertMayChange(scope, row, `add the dependency ${dependsOn}`);
  if (isKnown) return { changed: false, eventId: undefined };
  await scope.db.send(insertDependency, { task_id: id, depends_on: dependsOn, kind, at: scope.at });
  const eventId = await appendEvent(scope, {
    kind: 'task_dependency_added',
    message: `${id} → ${dependsOn} (${kind})`,
    projectId: row.project_id,
    taskId: id,
    metadata: { depends_on: dependsOn, kind },
  });
  if (kind === 'blocks' && other.status !== 'completed')
    await adjustBlockers(scope, row, { by: 1, cause: dependsOn });
  return { changed: true, eventId };
}

/** Throws when a dependency cannot be added. Reads only. */
export async function checkDependency(
  db: QueryRunner,
  id: string,
  dependsOn: string,
  kind: DependencyKind,
): Promise<{ readonly row: TaskRow; readonly other: TaskRow; readonly isKnown: boolean }> {
  const row = await requireTask(db, id);
  const other = await requireTask(db, dependsOn);
  if (id === dependsOn) throw cycleFault(id, dependsOn);
  const known = await db.first(findDependency, { task_id: id, depends_on: dependsOn });
  if (known && known.kind !== kind) throw otherKind(id, dependsOn, known.kind);
  if (known === undefined && kind === 'blocks') {
    if (row.status === 'completed') throw alreadyCompleted(id);
    if (await db.first(reaches, { from: dependsOn, to: id })) throw cycleFault(id, dependsOn);
  }
  return { row, other, isKnown: known !== undefined };
}

/** Removes a dependency; the task returns to the queue if no other dependency blocks it. */
export async function removeDependency(scope: Scope, id: string, dependsOn: string): Promise<LinkResult> {
  const row = await requireTask(scope.db, id);
  const known = await scope.db.first(findDependency, { task_id: id, depends_on: dependsOn });
  if (!known) {
    throw new Fault('E_NOT_FOUND', `The task ${id} does not depend on "${dependsOn}".`, {
      hint: 'Run "task get" to see its dependencies.',
      details: { field: 'depends_on', id, depends_on: dependsOn },
    });
  }
  const other = await requireTask(scope.db, dependsOn);
  await assertMayChange(scope, row, `remove the dependency ${dependsOn}`);
  await scope.db.send(deleteDependency, { task_id: id, depends_on: dependsOn });
  const eventId = await appendEvent(scope, {
    kind: 'task_dependency_removed',
    message: `${id} → ${dependsOn}`,
    projectId: row.project_id,
    taskId: id,
    metadata: { depends_on: dependsOn, kind: known.kind },
  });
  if (known.kind === 'blocks' && other.status !== 'completed')
    await adjustBlockers(scope, row, { by: -1, cause: dependsOn });
  return { changed: true, eventId };
}

function cycleFault(id: string, dependsOn: string): Fault {
  return new Fault('E_CONFLICT', `${id} cannot depend on ${dependsOn}: that would be a cycle.`, {
    hint: 'Remove another dependency of the cycle first.',
    details: { reason: 'cycle', id, depends_on: dependsOn },
  });
}

function alreadyCompleted(id: string): Fault {
  return new Fault('E_CONFLICT', `The task ${id} is completed and cannot be blocked.`, {
    hint: 'To reopen it, set its status to pending.',
    details: { reason: 'completed', id },
  });
}

function otherKind(id: string, dependsOn: string, kind: string): Fault {
  return new Fault('E_CONFLICT', `${id} is already linked to ${dependsOn} as "${kind}".`, {
    hint: 'Remove that dependency first.',
    details: { reason: 'other-kind', id, depends_on: dependsOn, kind },
  });
}
