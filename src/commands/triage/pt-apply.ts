import * as v from 'valibot';
import { int, number } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineWrite } from '../../contract/command.ts';
import {
  APPLY_DESCRIPTION,
  APPLY_ERRORS,
  APPLY_PARAMETERS,
  describeChange,
  readRequest,
} from './apply-request.ts';
import { answer, resultSchema } from './triage-schemas.ts';

/** `pt agent apply`, with the answers and exit codes of the contract of pt. */
export default defineWrite({
  path: 'triage apply',
  summary: 'Execute the actions of a plan that pass all gates',
  description: APPLY_DESCRIPTION,
  gate: 'dangerous',
  params: APPLY_PARAMETERS,
  output: answer({
    results: v.array(resultSchema),
    summary: v.object({
      total: int(),
      successful: int(),
      skipped: int(),
      blocked: int(),
      failed: int(),
      memory_freed_mb: number(),
    }),
    replayed: v.optional(v.literal(true)),
  }),
  untrusted: ['results[].reason'],
  examples: [
    'apply --session sess-20260115-143022-abc123 --recommended',
    'apply --session sess-20260115-143022-abc123 --recommended --yes',
  ],
  errors: APPLY_ERRORS,
  runsWithoutPlan: true,
  plan: async (params, context) => {
    const actions = await triageOf(context).preview(params.session, readRequest(params));
    return { changes: actions.map(describeChange) };
  },
  run: (params, context) => triageOf(context).apply(params.session, readRequest(params)),
});
