import * as v from 'valibot';
import { described, int, number, record } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { sessionParameter } from './triage-parameters.ts';
import { answer } from './triage-schemas.ts';
import { sessionId } from './session-ids.ts';

const processSchema = {
  pid: int(),
  start_id: v.string(),
  ppid: int(),
  name: v.string(),
  state: v.string(),
  memory_mb: number(),
};

export default defineRead({
  path: 'triage diff',
  summary: 'Compare the snapshot of a triage session with another one or with the current state',
  params: {
    session: sessionParameter,
    against: sessionId(
      described(
        v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
        'The later triage session (default: the current state of the machine)',
      ),
    ),
  },
  output: answer({
    compared_with: v.string(),
    same_boot: v.boolean(),
    summary: v.object({
      appeared: int(),
      ended: int(),
      changed: int(),
      memory_available_change_mb: number(),
    }),
    appeared: v.array(v.object(processSchema)),
    ended: v.array(v.object(processSchema)),
    changed: v.array(v.object({ ...processSchema, changes: record(v.unknown()) })),
  }),
  untrusted: ['appeared[].name', 'ended[].name', 'changed[].name', 'changed[].changes'],
  examples: ['triage diff --session sess-20260115-143022-abc123'],
  errors: ['E_NOT_FOUND', 'E_SESSION_EXPIRED', 'E_DAMAGED', 'E_CONFLICT', 'E_CONFIG'],
  run: ({ session, against }, context) => triageOf(context).diff(session, against),
});
