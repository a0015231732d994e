import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import type { ResumeQuestion } from '../../continuity/focus/resume-work.ts';
import type { ParametersOf } from '../../contract/described-command.ts';
import { shortText } from './text-parameters.ts';

/** What `resume` and `brief` are asked. */
export const RESUME_PARAMETERS = {
  project_dir: described(v.optional(shortText), 'The project to work in; any text, compared literally'),
  limit: described(
    v.optional(v.pipe(int(), v.minValue(1), v.maxValue(STORE_LIMITS.deltas)), STORE_LIMITS.deltas),
    'How many events since the last time are told at most',
  ),
  focus: described(v.optional(shortText), 'Work on this task, whatever the rules would choose'),
  budget: described(
    v.optional(v.pipe(int(), v.minValue(200), v.maxValue(100_000)), 1500),
    'About how many tokens the brief may take',
  ),
};

export function resumeQuestion(
  { project_dir, limit, focus, budget }: ParametersOf<typeof RESUME_PARAMETERS>,
  agent: string,
): ResumeQuestion {
  return { agent, projectId: project_dir, limit, focus, budgetTokens: budget };
}
