import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { assertSeen } from '../../continuity/tasks/assert-seen.ts';
import { showTask, TASK_STATUSES } from '../../continuity/tasks/task.ts';
import { setStatus } from '../../continuity/tasks/write-task.ts';

import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { idParameter } from '../continuity/store-parameters.ts';
import { titleText } from '../continuity/text-parameters.ts';
import { taskSchema, TASK_TEXT, textOf } from '../continuity/store-schemas.ts';
import { planTask } from '../continuity/plan-task.ts';

export default defineJournalWrite({
  path: 'task set-status',
  summary: 'Set the status of a task',
  params: {
    id: idParameter,
    status: described(v.picklist(TASK_STATUSES), 'The new status'),
    blocked_reason: described(v.optional(titleText), 'Why the task is blocked'),
    expected_status: described(
      v.optional(v.picklist(TASK_STATUSES)),
      'Fail with E_CONFLICT if the task no longer has this status',
    ),
  },
  output: { task: taskSchema, event_id: v.string() },
  untrusted: textOf('task', TASK_TEXT),
  keyFields: ['task.status'],
  examples: [
    'task set-status --id task_6a2x74g0k3m9p --status pending --agent claude-app --request-id r4 --dry-run',
    'task set-status --id task_6a2x74g0k3m9p --status pending --agent claude-app --request-id r4 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  changes: async ({ id, status, blocked_reason, expected_status }, scope) => {
    await assertSeen(scope.db, id, { status: expected_status });
    return planTask(scope, 'set-status', id, { status, blocked_reason: blocked_reason ?? null });
  },
  apply: async ({ id, status, blocked_reason, expected_status }, scope) => {
    await assertSeen(scope.db, id, { status: expected_status });
    const { row, eventId } = await setStatus(scope, id, status, blocked_reason ?? null);
    return { task: await showTask(scope.db, row, scope.at), event_id: eventId };
  },
});
