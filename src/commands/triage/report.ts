import * as v from 'valibot';
import { int } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { sessionParameter } from './triage-parameters.ts';
import { answer } from './triage-schemas.ts';

export default defineRead({
  path: 'triage report',
  summary: 'Render a triage session as an HTML report',
  description: 'The page is self-contained: it loads no other files. The raw format is the page itself',
  params: { session: sessionParameter },
  output: answer({ media_type: v.string(), bytes: int(), html: v.string() }),
  untrusted: ['html'],
  examples: ['triage report --session sess-20260115-143022-abc123 --format raw'],
  errors: ['E_NOT_FOUND', 'E_SESSION_EXPIRED', 'E_DAMAGED', 'E_CONFLICT', 'E_CONFIG'],
  run: ({ session }, context) => triageOf(context).report(session),
  renderRaw: ({ html }) => (typeof html === 'string' ? html : ''),
});
