import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { removeDependency } from '../../continuity/tasks/link-tasks.ts';

import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { idParameter } from '../continuity/store-parameters.ts';
import { taskId } from '../continuity/task-ids.ts';
import { shortText } from '../continuity/text-parameters.ts';
import { planTask } from '../continuity/plan-task.ts';

export default defineJournalWrite({
  path: 'task remove-dep',
  summary: 'Remove a dependency from a task',
  params: { id: idParameter, depends_on: taskId(described(shortText, 'The id of the task it depends on')) },
  output: {
    message: v.string(),
    task_id: v.string(),
    depends_on: v.string(),
    event_id: v.optional(v.string()),
  },
  examples: [
    'task remove-dep --id task_6a2x74g7c8v1t --depends-on task_6a2x74g0k3m9p --agent claude-app --request-id r8 --dry-run',
    'task remove-dep --id task_6a2x74g7c8v1t --depends-on task_6a2x74g0k3m9p --agent claude-app --request-id r8 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  changes: ({ id, depends_on }, scope) => planTask(scope, 'remove-dep', id, { depends_on }),
  apply: async ({ id, depends_on }, scope) => {
    const { eventId } = await removeDependency(scope, id, depends_on);
    return {
      message: `${id} no longer depends on ${depends_on}`,
      task_id: id,
      depends_on,
      ...(eventId !== undefined && { event_id: eventId }),
    };
  },
});
