import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { assertSeen } from '../../continuity/tasks/assert-seen.ts';
import { editTask, type TaskText } from '../../continuity/tasks/edit-task.ts';
import { showTask } from '../../continuity/tasks/task.ts';
import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { planTask } from '../continuity/plan-task.ts';
import { idParameter } from '../continuity/store-parameters.ts';
import { taskSchema, TASK_TEXT, textOf } from '../continuity/store-schemas.ts';
import { longText, titleText } from '../continuity/text-parameters.ts';

export default defineJournalWrite({
  path: 'task edit',
  summary: 'Change the title or the description of a task',
  params: {
    id: idParameter,
    title: described(v.optional(titleText), 'The new title'),
    description: described(v.optional(longText), 'The new description'),
    expected_title: described(
      v.optional(titleText),
      'Fail with E_CONFLICT if the task no longer has this title',
    ),
    expected_description: described(
      v.optional(longText),
      'Fail with E_CONFLICT if the task no longer has this description',
    ),
  },
  output: { task: taskSchema, event_id: v.string() },
  untrusted: textOf('task', TASK_TEXT),
  keyFields: ['task.id', 'task.title'],
  examples: [
    'task edit --id task_6a2x74g0k3m9p --title "Parse quoted fields" --agent claude-app --request-id r6 --dry-run',
    'task edit --id task_6a2x74g0k3m9p --title "Parse quoted fields" --agent claude-app --request-id r6 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  changes: async ({ id, expected_title, expected_description, ...text }, scope) => {
    const after = checkText(text);
    await assertSeen(scope.db, id, { title: expected_title, description: expected_description });
    return planTask(scope, 'edit', id, after);
  },
  apply: async ({ id, expected_title, expected_description, ...text }, scope) => {
    await assertSeen(scope.db, id, { title: expected_title, description: expected_description });
    const { row, eventId } = await editTask(scope, id, checkText(text));
    return { task: await showTask(scope.db, row, scope.at), event_id: eventId };
  },
});

function checkText({ title, description }: TaskText): { title?: string; description?: string } {
  if (title === undefined && description === undefined) {
    throw new Fault('E_VALIDATION', 'The edit is empty.', {
      hint: 'Provide --title, --description or both.',
      details: { field: 'title' },
    });
  }
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
}
