import { Fault } from '../../base/fault.ts';
import type { QueryRunner } from '../database/database.ts';
import { readEvents } from '../events/event.ts';
import { requireTask, type TaskStatus } from './task.ts';

/**
 * Rejects a change of a task whose status is no longer the one that the caller acted on, and names who changed it. The version of the task
 * does not tell: heartbeats and finished dependencies change it too.
 */
export async function assertStatus(
  db: QueryRunner,
  id: string,
  expected: TaskStatus | undefined,
): Promise<void> {
  if (expected === undefined) return;
  const { status } = await requireTask(db, id);
  if (status === expected) return;
  const [last] = await readEvents(db, {
    taskId: id,
    kind: 'task_status',
    ascending: false,
    includeArchived: true,
    limit: 1,
  });
  const by = last === undefined ? '' : `: ${last.agent_name} changed it at ${last.created_at}`;
  throw new Fault('E_CONFLICT', `The status of the task ${id} is ${status}, not ${expected}${by}.`, {
    hint: 'Nothing was changed. Read the task again, then decide.',
    details: {
      reason: 'status-changed',
      id,
      expected_status: expected,
      status,
      ...(last !== undefined && { changed_by: last.agent_name, changed_at: last.created_at }),
    },
  });
}
