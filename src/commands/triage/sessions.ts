import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { answer } from './triage-schemas.ts';

export default defineRead({
  path: 'triage sessions',
  summary: 'List triage sessions, newest first',
  params: {
    limit: described(
      v.optional(v.pipe(int(), v.minValue(1), v.maxValue(1000)), 50),
      'Maximum number of sessions',
    ),
  },
  output: answer({
    sessions: v.array(
      v.object({
        session_id: v.string(),
        state: v.string(),
        created_at: v.nullable(v.string()),
        updated_at: v.nullable(v.string()),
      }),
    ),
    total: int(),
  }),
  sort: 'newest first',
  examples: ['triage sessions --limit 5'],
  errors: ['E_CONFIG'],
  run: ({ limit }, context) => triageOf(context).sessions(limit),
});
