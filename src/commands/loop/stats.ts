import * as v from 'valibot';
import { described, int, number } from '../../base/schema.ts';
import { readLoopStats } from '../../continuity/loop/loop-stats.ts';
import { defineRead } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { withReader } from '../continuity/open-store.ts';
import { projectParameter } from '../continuity/store-parameters.ts';

export default defineRead({
  path: 'loop stats',
  summary: 'Show the results of the last loops',
  params: {
    last: described(v.optional(v.pipe(int(), v.minValue(1), v.maxValue(1000)), 7), 'The number of loops'),
    project_id: projectParameter,
    ...STORE_PARAMETERS,
  },
  output: v.object({
    runs: int(),
    avg_completed: number(),
    avg_failed: number(),
    blocked_rate: number(),
    avg_duration_sec: number(),
    history: v.array(
      v.object({
        at: v.string(),
        agent_name: v.string(),
        completed: int(),
        failed: int(),
        blocked: int(),
        total: int(),
        duration_sec: number(),
      }),
    ),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: ['history[].agent_name'],
  examples: ['loop stats --last 7'],
  errors: ['E_DAMAGED'],
  run: ({ last, project_id, ...store }, context) =>
    withReader(store, context, (session) => readLoopStats(session, last, project_id)),
});
