import * as v from 'valibot';
import { record } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { sessionParameter } from './triage-parameters.ts';
import { answer } from './triage-schemas.ts';

export default defineRead({
  path: 'triage export',
  summary: 'Export all documents of a triage session with their hashes',
  params: { session: sessionParameter },
  output: answer({
    manifest: record(v.unknown()),
    documents: v.array(v.object({ name: v.string(), sha256: v.string(), content: record(v.unknown()) })),
    audit: v.array(record(v.unknown())),
  }),
  untrusted: ['documents', 'audit'],
  examples: ['triage export --session sess-20260115-143022-abc123'],
  errors: ['E_NOT_FOUND', 'E_SESSION_EXPIRED', 'E_DAMAGED', 'E_CONFIG'],
  run: ({ session }, context) => triageOf(context).exportSession(session),
});
