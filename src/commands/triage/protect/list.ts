import * as v from 'valibot';
import { triageOf } from '../../../app/open-triage.ts';
import { defineRead } from '../../../contract/command.ts';
import { answer } from '../triage-schemas.ts';

export default defineRead({
  path: 'triage protect list',
  summary: 'List the names of processes that triage never acts on',
  params: {},
  output: answer({
    protected: v.array(v.object({ name: v.string(), reason: v.nullable(v.string()), added_at: v.string() })),
    built_in: v.array(v.string()),
    version: v.string(),
  }),
  sort: 'in the order they were added',
  untrusted: ['protected[].name', 'protected[].reason'],
  examples: ['triage protect list'],
  errors: ['E_CONFIG'],
  run: (_given, context) => triageOf(context).protections(),
});
