import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { showTask } from '../../continuity/tasks/task.ts';
import { completeTask } from '../../continuity/tasks/write-task.ts';

import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { idParameter } from '../continuity/store-parameters.ts';
import { messageText, shortText, titleText } from '../continuity/text-parameters.ts';
import { taskSchema, TASK_TEXT, textOf } from '../continuity/store-schemas.ts';
import { planTask } from '../continuity/plan-task.ts';

export default defineJournalWrite({
  path: 'task complete',
  summary: 'Complete or block a task',
  params: {
    id: idParameter,
    outcome: described(v.picklist(['done', 'blocked']), 'The result'),
    summary: described(messageText, 'What was done, or why the task is blocked'),
    label: described(v.optional(shortText), 'A label for the event'),
    blocked_reason: described(v.optional(titleText), 'Why the task is blocked (default: the summary)'),
  },
  output: { task: taskSchema, status_event_id: v.string(), close_event_id: v.string() },
  untrusted: textOf('task', TASK_TEXT),
  keyFields: ['task.status'],
  examples: [
    'task complete --id task_6a2x74g0k3m9p --outcome done --summary "All tests pass" --agent claude-app --request-id r6 --dry-run',
    'task complete --id task_6a2x74g0k3m9p --outcome done --summary "All tests pass" --agent claude-app --request-id r6 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  changes: ({ id, outcome }, scope) => planTask(scope, 'complete', id, { outcome }),
  apply: async ({ id, outcome, summary, label, blocked_reason }, scope) => {
    const completion = { outcome, summary, label, blockedReason: blocked_reason };
    const { row, statusEventId, closeEventId } = await completeTask(scope, id, completion);
    return {
      task: await showTask(scope.db, row, scope.at),
      status_event_id: statusEventId,
      close_event_id: closeEventId,
    };
  },
});
