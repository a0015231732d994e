import type { Change } from '../../contract/plan.ts';
import { requireTask } from '../../continuity/tasks/task.ts';
import type { Look } from './define-journal-write.ts';

/** Plans one change of one task, resting on its version. */
export async function planTask(
  { session }: Look,
  action: string,
  id: string,
  after: Change['after'],
): Promise<Change[]> {
  const row = await requireTask(session, id);
  const before = { title: row.title, status: row.status, priority: row.priority };
  return [{ action, resource: 'task', id, before, after: after ?? null, version: String(row.version) }];
}
