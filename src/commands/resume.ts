import * as v from 'valibot';
import { int } from '../base/schema.ts';
import { resumeWork } from '../continuity/focus/resume-work.ts';
import { requireTask } from '../continuity/tasks/task.ts';
import { defineJournalWrite } from './continuity/define-journal-write.ts';
import { RESUME_PARAMETERS, resumeRequest } from './continuity/resume-parameters.ts';
import { briefSchema, eventSchema, EVENT_TEXT, textOf } from './continuity/store-schemas.ts';

export default defineJournalWrite({
  path: 'resume',
  summary: 'Resume work: return recent events and the task to work on',
  description:
    'Return the events since the last resume of this agent, the task to work on and a brief of what it needs, and advance its cursor in the event log',
  params: RESUME_PARAMETERS,
  output: {
    agent_name: v.string(),
    old_cursor: v.string(),
    new_cursor: v.string(),
    deltas: v.array(eventSchema),
    unread: v.object({
      total: int(),
      omitted: v.optional(v.object({ count: int(), first_event_id: v.string(), last_event_id: v.string() })),
    }),
    focus_task_id: v.nullable(v.string()),
    focus_project_id: v.optional(v.string()),
    focus_rule: v.string(),
    brief: briefSchema,
    prompt: v.string(),
  },
  untrusted: [...textOf('deltas[]', EVENT_TEXT), 'brief', 'prompt'],
  keyFields: ['unread', 'prompt'],
  examples: [
    'resume --agent claude-app --project-dir app --request-id r14 --dry-run',
    'resume --agent claude-app --project-dir app --request-id r14 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  changes: async ({ project_dir, focus }, { db, agent }) => {
    if (focus !== undefined) await requireTask(db, focus);
    return [{ action: 'resume', resource: 'agent', id: agent, after: { project: project_dir ?? null } }];
  },
  apply: async (params, scope) => resumeWork(scope, resumeRequest(params, scope.agent)),
});
