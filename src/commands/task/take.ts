import * as v from 'valibot';
import { takeTask } from '../../continuity/focus/take-task.ts';
import { showTask } from '../../continuity/tasks/task.ts';
import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { parseLease } from '../continuity/parse-lease.ts';
import { leaseParameter, projectParameter } from '../continuity/store-parameters.ts';
import { taskSchema, TASK_TEXT, textOf } from '../continuity/store-schemas.ts';

export default defineJournalWrite({
  path: 'task take',
  summary: 'Claim the next ready task and start it',
  description:
    'Choose the task that "task next" shows, claim it for this agent and make it its focus, in one step: concurrent callers get different tasks. Without a ready task, the answer is null',
  params: { project_id: projectParameter, lease: leaseParameter },
  output: {
    task: v.nullable(taskSchema),
    status_event_id: v.optional(v.string()),
    focus_event_id: v.optional(v.string()),
  },
  untrusted: textOf('task', TASK_TEXT),
  examples: [
    'task take --project-id app --agent claude-app --request-id r10 --dry-run',
    'task take --project-id app --agent claude-app --request-id r10 --confirm <token>',
  ],
  // Which task it is depends on the other callers, so a token does not bind it.
  changes: async ({ project_id, lease }, scope) => {
    parseLease(lease);
    const after = { status: 'in_progress', claimed_by: scope.agent, project_id: project_id ?? null };
    return [{ action: 'take', resource: 'task', id: 'next', after }];
  },
  apply: async ({ project_id, lease }, scope) => {
    const taken = await takeTask(scope, { projectId: project_id, leaseMs: parseLease(lease) });
    if (taken === undefined) return { task: null };
    return {
      task: await showTask(scope.db, taken.row, scope.at),
      ...(taken.statusEventId !== undefined && { status_event_id: taken.statusEventId }),
      focus_event_id: taken.focusEventId,
    };
  },
});
