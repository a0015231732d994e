import * as v from 'valibot';
import { setFocus } from '../../continuity/focus/resume-work.ts';
import { claimTask } from '../../continuity/tasks/claim-task.ts';
import { requireTask, showTask } from '../../continuity/tasks/task.ts';
import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { parseLease } from '../continuity/parse-lease.ts';
import { idParameter, leaseParameter } from '../continuity/store-parameters.ts';
import { taskSchema, TASK_TEXT, textOf } from '../continuity/store-schemas.ts';
import { planTask } from '../continuity/plan-task.ts';

export default defineJournalWrite({
  path: 'task begin',
  summary: 'Claim a task and start it',
  description:
    'Claim a task for this agent and make it its focus. No other agent can begin it until the lease expires; every push about the task renews the lease',
  params: { id: idParameter, lease: leaseParameter },
  output: { task: taskSchema, status_event_id: v.optional(v.string()), focus_event_id: v.string() },
  untrusted: textOf('task', TASK_TEXT),
  keyFields: ['task.status'],
  examples: [
    'task begin --id task_6a2x74g0k3m9p --agent claude-app --request-id r2 --dry-run',
    'task begin --id task_6a2x74g0k3m9p --agent claude-app --request-id r2 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  changes: ({ id, lease }, scope) => {
    parseLease(lease);
    return planTask(scope, 'begin', id, { status: 'in_progress', claimed_by: scope.agent });
  },
  apply: async ({ id, lease }, scope) => {
    const claimed = await claimTask(scope, await requireTask(scope.db, id), {
      leaseMs: parseLease(lease),
    });
    const focusEventId = await setFocus(scope, id, claimed.row.project_id);
    return {
      task: await showTask(scope.db, claimed.row, scope.at),
      ...(claimed.statusEventId !== undefined && { status_event_id: claimed.statusEventId }),
      focus_event_id: focusEventId,
    };
  },
});
