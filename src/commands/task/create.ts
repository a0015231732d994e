import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { excerpt } from '../../base/text.ts';
import { PREVIEW_CHARACTERS } from '../../continuity/store-limits.ts';
import { createTask } from '../../continuity/tasks/write-task.ts';
import { showTask } from '../../continuity/tasks/task.ts';

import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { priorityParameter, projectParameter } from '../continuity/store-parameters.ts';
import { longText, titleText } from '../continuity/text-parameters.ts';
import { taskSchema, TASK_TEXT, textOf } from '../continuity/store-schemas.ts';

export default defineJournalWrite({
  path: 'task create',
  summary: 'Create a task in the queue',
  params: {
    title: described(titleText, 'A short title'),
    description: described(v.optional(longText, ''), 'What the agent needs to know'),
    project_id: projectParameter,
    priority: described(v.optional(priorityParameter, 0), 'Tasks with a higher priority come first'),
  },
  output: { task: taskSchema, event_id: v.string() },
  untrusted: textOf('task', TASK_TEXT),
  keyFields: ['task.id', 'task.status'],
  examples: [
    'task create --title "Write the parser" --agent claude-app --request-id r1 --dry-run',
    'task create --title "Write the parser" --agent claude-app --request-id r1 --confirm <token>',
  ],
  changes: async ({ title, description, project_id, priority }) => [
    {
      action: 'create',
      resource: 'task',
      id: 'new',
      after: {
        title,
        ...(description !== '' && { description: excerpt(description, PREVIEW_CHARACTERS) }),
        project_id: project_id ?? null,
        priority,
      },
    },
  ],
  apply: async ({ title, description, project_id, priority }, scope) => {
    const { row, eventId } = await createTask(scope, {
      title,
      description,
      projectId: project_id ?? null,
      priority,
    });
    return { task: await showTask(scope.db, row, scope.at), event_id: eventId };
  },
});
