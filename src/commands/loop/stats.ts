import * as z from '../../base/schema/schema.ts';
import { readLoopStats } from '../../continuity/loop/loop-stats.ts';
import { defineRead } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { withReader } from '../continuity/open-store.ts';
import { projectParameter } from '../continuity/store-parameters.ts';

export default defineRead({
  path: 'loop stats',
  summary: 'Show how the last loops went',
  params: {
    last: z.described(z._default(z.int().check(z.gte(1), z.lte(1000)), 7), 'How many loops'),
    project_id: projectParameter,
    ...STORE_PARAMETERS,
  },
  output: z.object({
    runs: z.int(),
    avg_completed: z.number(),
    avg_failed: z.number(),
    blocked_rate: z.number(),
    avg_duration_sec: z.number(),
    history: z.array(
      z.object({
        at: z.string(),
        agent_name: z.string(),
        completed: z.int(),
        failed: z.int(),
        blocked: z.int(),
        total: z.int(),
        duration_sec: z.number(),
      }),
    ),
    _untrusted: z.optional(z.array(z.string())),
  }),
  untrusted: ['history[].agent_name'],
  examples: ['loop stats --last 7'],
  errors: ['E_INTEGRITY'],
  run: ({ last, project_id, ...store }, context) =>
    withReader(store, context, (session) => readLoopStats(session, last, project_id)),
});
