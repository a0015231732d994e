import * as z from '../../base/schema/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { sessionParameter } from './triage-parameters.ts';
import { answer } from './triage-schemas.ts';

export default defineRead({
  path: 'triage status',
  summary: 'Tell how far a session has come and how to go on with it',
  params: { session: sessionParameter },
  output: answer(() => ({
    state: z.enum(['created', 'planned', 'approved', 'executing', 'interrupted', 'completed', 'verified']),
    phase: z.enum(['snapshot', 'plan', 'apply', 'verify']),
    progress: z.object({
      total_actions: z.int(),
      completed_actions: z.int(),
      pending_actions: z.int(),
    }),
    resumable: z.boolean(),
    resume_command: z.nullable(z.string()),
    created_at: z.string(),
    updated_at: z.string(),
  })),
  examples: ['triage status --session sess-20260115-143022-abc123'],
  errors: ['E_NOT_FOUND', 'E_SESSION_EXPIRED', 'E_INTEGRITY', 'E_CONFIG'],
  run: ({ session }, context) => triageOf(context).status(session),
});
