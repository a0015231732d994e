import * as v from 'valibot';
import { readNextTask } from '../../continuity/tasks/read-tasks.ts';
import { showTask } from '../../continuity/tasks/task.ts';
import { defineRead } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { withReader } from '../continuity/open-store.ts';
import { projectParameter } from '../continuity/store-parameters.ts';
import { taskSchema, TASK_TEXT, textOf } from '../continuity/store-schemas.ts';

export default defineRead({
  path: 'task next',
  summary: 'Show the next ready task; abandoned work comes first',
  params: { project_id: projectParameter, ...STORE_PARAMETERS },
  output: v.object({ task: v.nullable(taskSchema), _untrusted: v.optional(v.array(v.string())) }),
  untrusted: textOf('task', TASK_TEXT),
  examples: ['task next', 'task next --project-id app'],
  errors: ['E_DAMAGED'],
  run: ({ project_id, ...store }, context) =>
    withReader(store, context, async (session, at) => {
      const row = await readNextTask(session, project_id, at);
      return { task: row === undefined ? null : await showTask(session, row, at) };
    }),
});
