import * as v from 'valibot';
import { deleteTask } from '../../continuity/tasks/write-task.ts';
import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { idParameter } from '../continuity/store-parameters.ts';
import { planTask } from '../continuity/plan-task.ts';

export default defineJournalWrite({
  path: 'task delete',
  summary: 'Delete a task with its artifacts and dependencies; its events stay',
  params: { id: idParameter },
  output: { task_id: v.string(), event_id: v.string() },
  examples: [
    'task delete --id task_6a2x74g0k3m9p --agent claude-app --request-id r9 --dry-run',
    'task delete --id task_6a2x74g0k3m9p --agent claude-app --request-id r9 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  changes: ({ id }, scope) => planTask(scope, 'delete', id, null),
  apply: async ({ id }, scope) => ({ task_id: id, event_id: (await deleteTask(scope, id)).eventId }),
});
