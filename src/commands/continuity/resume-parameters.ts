import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import type { ResumeRequest } from '../../continuity/focus/resume-work.ts';
import type { ParametersOf } from '../../contract/described-command.ts';
import { taskId } from './task-ids.ts';
import { shortText } from './text-parameters.ts';

/** The parameters of `resume` and `brief`. */
export const RESUME_PARAMETERS = {
  project_dir: described(v.optional(shortText), 'The project to work in; any string, compared literally'),
  limit: described(
    v.optional(v.pipe(int(), v.minValue(1), v.maxValue(STORE_LIMITS.deltas))),
    'Return this many unread events, oldest first (default: the newest that fit into the budget)',
  ),
  focus: taskId(described(v.optional(shortText), 'The task to work on; overrides the focus rules')),
  budget: described(
    v.optional(v.pipe(int(), v.minValue(200), v.maxValue(100_000)), 1500),
    'The size limit of the prompt in tokens; the whole answer is at most three times as large, unless a limit is set',
  ),
};

export function resumeRequest(
  { project_dir, limit, focus, budget }: ParametersOf<typeof RESUME_PARAMETERS>,
  agent: string,
): ResumeRequest {
  return { agent, projectId: project_dir, limit, focus, budgetTokens: budget };
}
