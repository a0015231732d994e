import * as z from '../../base/schema/schema.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import type { ResumeQuestion } from '../../continuity/focus/resume-work.ts';
import type { ParametersOf } from '../../contract/described-command.ts';
import { shortText } from './text-parameters.ts';

/** What `resume` and `brief` are asked. */
export const RESUME_PARAMETERS = {
  project_dir: z.described(z.optional(shortText), 'The project to work in; any text, compared literally'),
  limit: z.described(
    z._default(z.int().check(z.gte(1), z.lte(STORE_LIMITS.deltas)), STORE_LIMITS.deltas),
    'How many events since the last time are told at most',
  ),
  focus: z.described(z.optional(shortText), 'Work on this task, whatever the rules would choose'),
  budget: z.described(
    z._default(z.int().check(z.gte(200), z.lte(100_000)), 1500),
    'About how many tokens the brief may take',
  ),
};

export function resumeQuestion(
  { project_dir, limit, focus, budget }: ParametersOf<typeof RESUME_PARAMETERS>,
  agent: string,
): ResumeQuestion {
  return { agent, projectId: project_dir, limit, focus, budgetTokens: budget };
}
