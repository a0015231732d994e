import { heartbeat } from '../../continuity/tasks/claim-task.ts';
import { showTask } from '../../continuity/tasks/task.ts';
import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { parseLease } from '../continuity/parse-lease.ts';
import { idParameter, leaseParameter } from '../continuity/store-parameters.ts';
import { taskSchema, TASK_TEXT, textOf } from '../continuity/store-schemas.ts';
import { planTask } from '../continuity/plan-task.ts';

export default defineJournalWrite({
  path: 'task heartbeat',
  summary: 'Renew the claim on a task',
  params: { id: idParameter, lease: leaseParameter },
  output: { task: taskSchema },
  untrusted: textOf('task', TASK_TEXT),
  keyFields: ['task.id', 'task.claim.expires_at'],
  examples: [
    'task heartbeat --id task_6a2x74g0k3m9p --agent claude-app --request-id r3 --dry-run',
    'task heartbeat --id task_6a2x74g0k3m9p --agent claude-app --request-id r3 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  changes: ({ id, lease }, scope) => {
    parseLease(lease);
    return planTask(scope, 'heartbeat', id, { claimed_by: scope.agent });
  },
  apply: async ({ id, lease }, scope) => ({
    task: await showTask(scope.db, await heartbeat(scope, id, parseLease(lease)), scope.at),
  }),
});
