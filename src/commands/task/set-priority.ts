import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { assertSeen } from '../../continuity/tasks/assert-seen.ts';
import { showTask } from '../../continuity/tasks/task.ts';
import { setPriority } from '../../continuity/tasks/write-task.ts';

import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { idParameter, priorityParameter } from '../continuity/store-parameters.ts';
import { taskSchema, TASK_TEXT, textOf } from '../continuity/store-schemas.ts';
import { planTask } from '../continuity/plan-task.ts';

export default defineJournalWrite({
  path: 'task set-priority',
  summary: 'Set the priority of a task',
  params: {
    id: idParameter,
    priority: described(priorityParameter, 'Tasks with a higher priority come first'),
    expected_priority: described(
      v.optional(priorityParameter),
      'Fail with E_CONFLICT if the task no longer has this priority',
    ),
  },
  output: { task: taskSchema, event_id: v.string() },
  untrusted: textOf('task', TASK_TEXT),
  keyFields: ['task.id', 'task.priority'],
  examples: [
    'task set-priority --id task_6a2x74g0k3m9p --priority 5 --agent claude-app --request-id r5 --dry-run',
    'task set-priority --id task_6a2x74g0k3m9p --priority 5 --agent claude-app --request-id r5 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  changes: async ({ id, priority, expected_priority }, scope) => {
    await assertSeen(scope.db, id, { priority: expected_priority });
    return planTask(scope, 'set-priority', id, { priority });
  },
  apply: async ({ id, priority, expected_priority }, scope) => {
    await assertSeen(scope.db, id, { priority: expected_priority });
    const { row, eventId } = await setPriority(scope, id, priority);
    return { task: await showTask(scope.db, row, scope.at), event_id: eventId };
  },
});
