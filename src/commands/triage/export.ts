import * as z from '../../base/schema/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { sessionParameter } from './triage-parameters.ts';
import { answer } from './triage-schemas.ts';

export default defineRead({
  path: 'triage export',
  summary: 'Give everything a session holds, with hashes',
  params: { session: sessionParameter },
  output: answer(() => ({
    manifest: z.record(z.string(), z.unknown()),
    documents: z.array(
      z.object({ name: z.string(), sha256: z.string(), content: z.record(z.string(), z.unknown()) }),
    ),
    audit: z.array(z.record(z.string(), z.unknown())),
  })),
  untrusted: ['documents', 'audit'],
  examples: ['triage export --session sess-20260115-143022-abc123'],
  errors: ['E_NOT_FOUND', 'E_SESSION_EXPIRED', 'E_INTEGRITY', 'E_CONFIG'],
  run: ({ session }, context) => triageOf(context).exportSession(session),
});
