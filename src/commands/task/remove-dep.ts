import * as z from '../../base/schema/schema.ts';
import { removeDependency } from '../../continuity/tasks/link-tasks.ts';

import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { idParameter } from '../continuity/store-parameters.ts';
import { shortText } from '../continuity/text-parameters.ts';
import { planTask } from '../continuity/plan-task.ts';

export default defineJournalWrite({
  path: 'task remove-dep',
  summary: 'Take a dependency away',
  params: { id: idParameter, depends_on: z.described(shortText, 'The other task') },
  output: { message: z.string(), task_id: z.string(), depends_on: z.string(), event_id: z.optional(z.int()) },
  examples: [
    'task remove-dep --id task_2 --depends-on task_1 --agent claude-app --request-id r8 --dry-run',
    'task remove-dep --id task_2 --depends-on task_1 --agent claude-app --request-id r8 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  changes: ({ id, depends_on }, look) => planTask(look, 'remove-dep', id, { depends_on }),
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
