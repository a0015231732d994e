import * as v from 'valibot';
import { int } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { sessionParameter } from './triage-parameters.ts';
import { answer } from './triage-schemas.ts';

export default defineRead({
  path: 'triage status',
  summary: 'Show the state and progress of a triage session, and the command to resume it',
  params: { session: sessionParameter },
  output: answer({
    state: v.picklist([
      'created',
      'planned',
      'approved',
      'executing',
      'interrupted',
      'completed',
      'verified',
    ]),
    phase: v.picklist(['snapshot', 'plan', 'apply', 'verify']),
    progress: v.object({
      total_actions: int(),
      completed_actions: int(),
      pending_actions: int(),
    }),
    resumable: v.boolean(),
    resume_command: v.nullable(v.string()),
    created_at: v.string(),
    updated_at: v.string(),
  }),
  examples: ['triage status --session sess-20260115-143022-abc123'],
  errors: ['E_NOT_FOUND', 'E_SESSION_EXPIRED', 'E_DAMAGED', 'E_CONFIG'],
  run: ({ session }, context) => triageOf(context).status(session),
});
