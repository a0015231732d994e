import * as v from 'valibot';
import { requireTask, showTask } from '../../continuity/tasks/task.ts';
import { defineRead } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { withReader } from '../continuity/open-store.ts';
import { idParameter } from '../continuity/store-parameters.ts';
import { taskSchema, TASK_TEXT } from '../continuity/store-schemas.ts';

export default defineRead({
  path: 'task get',
  summary: 'Show one task',
  params: { id: idParameter, ...STORE_PARAMETERS },
  positionals: ['id'],
  output: v.object({ ...taskSchema.entries, _untrusted: v.optional(v.array(v.string())) }),
  untrusted: [...TASK_TEXT],
  examples: ['task get --id task_6a2x74g0k3m9p', 'task get 6a2x74g0'],
  errors: ['E_NOT_FOUND', 'E_DAMAGED'],
  run: ({ id, ...store }, context) =>
    withReader(store, context, async (session, at) => showTask(session, await requireTask(session, id), at)),
});
