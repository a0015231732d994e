import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { addDependency, checkDependency } from '../../continuity/tasks/link-tasks.ts';
import { DEPENDENCY_KINDS } from '../../continuity/tasks/task.ts';

import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { idParameter } from '../continuity/store-parameters.ts';
import { taskId } from '../continuity/task-ids.ts';
import { shortText } from '../continuity/text-parameters.ts';
import { planTask } from '../continuity/plan-task.ts';

export default defineJournalWrite({
  path: 'task add-dep',
  summary: 'Add a dependency to a task',
  params: {
    id: idParameter,
    depends_on: taskId(described(shortText, 'The id of the task it depends on')),
    kind: described(
      v.optional(v.picklist(DEPENDENCY_KINDS), 'blocks'),
      'blocks: the task waits for the other one; related and discovered-from only link them',
    ),
  },
  output: {
    message: v.string(),
    task_id: v.string(),
    depends_on: v.string(),
    event_id: v.optional(v.string()),
  },
  examples: [
    'task add-dep --id task_6a2x74g7c8v1t --depends-on task_6a2x74g0k3m9p --agent claude-app --request-id r7 --dry-run',
    'task add-dep --id task_6a2x74g7c8v1t --depends-on task_6a2x74g0k3m9p --agent claude-app --request-id r7 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  changes: async ({ id, depends_on, kind }, scope) => {
    await checkDependency(scope.db, id, depends_on, kind);
    return planTask(scope, 'add-dep', id, { depends_on, kind });
  },
  apply: async ({ id, depends_on, kind }, scope) => {
    const { changed, eventId } = await addDependency(scope, id, depends_on, kind);
    return {
      message: changed
        ? `${id} depends on ${depends_on} (${kind})`
        : `${id} already depends on ${depends_on}`,
      task_id: id,
      depends_on,
      ...(eventId !== undefined && { event_id: eventId }),
    };
  },
});
