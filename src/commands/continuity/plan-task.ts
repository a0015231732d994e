import type { Change } from '../../contract/plan.ts';
import { isClaimedByOther, nameHolder } from '../../continuity/tasks/holder.ts';
import { requireTask } from '../../continuity/tasks/task.ts';
import type { ReadScope } from './define-journal-write.ts';

/** Plans a change of one task, bound to its version. */
export async function planTask(
  { db, at, agent, claimSession }: ReadScope,
  action: string,
  id: string,
  after: Change['after'],
): Promise<Change[]> {
  const row = await requireTask(db, id);
  const holder = isClaimedByOther(row, { agent, claimSession: claimSession ?? null }, at) && nameHolder(row);
  const before = {
    title: row.title,
    status: row.status,
    priority: row.priority,
    ...(holder && { claimed_by: holder }),
  };
  return [{ action, resource: 'task', id, before, after: after ?? null, version: String(row.version) }];
}
