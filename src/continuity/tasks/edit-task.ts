import { appendEvent } from '../events/event.ts';
import type { Scope } from '../scope.ts';
import { changeTask } from './change-task.ts';
import { assertMayChange } from './holder.ts';
import { requireTask, type TaskRow } from './task.ts';

export interface TaskText {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** Changes the title or the description of a task. The earlier text is in the event. */
export async function editTask(
  scope: Scope,
  id: string,
  { title, description }: TaskText,
): Promise<{ row: TaskRow; eventId: string }> {
  const row = await requireTask(scope.db, id);
  await assertMayChange(scope, row, 'edit it');
  const next = await changeTask(scope, row, {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  });
  const eventId = await appendEvent(scope, {
    kind: 'task_edited',
    message: `${id}: ${next.title}`,
    projectId: row.project_id,
    taskId: id,
    metadata: { before: { title: row.title, description: row.description } },
  });
  return { row: next, eventId };
}
