import * as z from '../../base/schema/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { answer } from './triage-schemas.ts';

export default defineRead({
  path: 'triage sessions',
  summary: 'List the sessions that are kept, newest first',
  params: {
    limit: z.described(z._default(z.int().check(z.gte(1), z.lte(1000)), 50), 'How many to list'),
  },
  output: answer(() => ({
    sessions: z.array(
      z.object({
        session_id: z.string(),
        state: z.string(),
        created_at: z.nullable(z.string()),
        updated_at: z.nullable(z.string()),
      }),
    ),
    total: z.int(),
  })),
  sort: 'newest first',
  examples: ['triage sessions --limit 5'],
  errors: ['E_CONFIG'],
  run: ({ limit }, context) => triageOf(context).sessions(limit),
});
