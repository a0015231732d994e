import * as z from '../../base/schema/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { sessionParameter } from './triage-parameters.ts';
import { answer } from './triage-schemas.ts';

const processSchema = {
  pid: z.int(),
  start_id: z.string(),
  ppid: z.int(),
  name: z.string(),
  state: z.string(),
  memory_mb: z.number(),
};

export default defineRead({
  path: 'triage diff',
  summary: 'Compare what a session saw with another one, or with now',
  params: {
    session: sessionParameter,
    against: z.described(
      z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
      'The later session (default: the machine as it is now)',
    ),
  },
  output: answer(() => ({
    compared_with: z.string(),
    same_boot: z.boolean(),
    summary: z.object({
      appeared: z.int(),
      ended: z.int(),
      changed: z.int(),
      memory_available_change_mb: z.number(),
    }),
    appeared: z.array(z.object(processSchema)),
    ended: z.array(z.object(processSchema)),
    changed: z.array(z.object({ ...processSchema, changes: z.record(z.string(), z.unknown()) })),
  })),
  untrusted: ['appeared[].name', 'ended[].name', 'changed[].name', 'changed[].changes'],
  examples: ['triage diff --session sess-20260115-143022-abc123'],
  errors: ['E_NOT_FOUND', 'E_SESSION_EXPIRED', 'E_INTEGRITY', 'E_CONFLICT', 'E_CONFIG'],
  run: ({ session, against }, context) => triageOf(context).diff(session, against),
});
