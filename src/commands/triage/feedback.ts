import * as v from 'valibot';
import { Fault } from '../../base/fault.ts';
import { described, int, number } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineWrite } from '../../contract/command.ts';
import { answer } from './triage-schemas.ts';
import { sessionId } from './session-ids.ts';

const flag = v.optional(v.boolean(), false);

export default defineWrite({
  path: 'triage feedback',
  summary: 'Record whether a process is needed or abandoned; later plans use it',
  description:
    'Recorded for the whole command line, with secrets masked. After --keep, triage never acts on processes with the same command; after --gone, they are listed for review. A later verdict replaces an earlier one',
  params: {
    target: described(
      v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
      'A process, as pid or pid:start_id',
    ),
    keep: described(flag, 'The process is needed'),
    gone: described(flag, 'No one needs the process'),
    session: sessionId(
      described(
        v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
        'Find the process in this triage session; it may have exited since',
      ),
    ),
  },
  positionals: ['target'],
  output: answer({
    verdict: v.picklist(['keep', 'gone']),
    pid: int(),
    start_id: v.string(),
    command: v.string(),
    posterior: number(),
    at: v.string(),
    replayed: v.optional(v.literal(true)),
  }),
  untrusted: ['command'],
  examples: [
    'triage feedback 4711 --keep --dry-run',
    'triage feedback 4711 --gone --session sess-20260115-143022-abc123 --confirm <token>',
  ],
  errors: [
    'E_NOT_FOUND',
    'E_SESSION_EXPIRED',
    'E_IDENTITY_MISMATCH',
    'E_INTEGRITY',
    'E_CONFLICT',
    'E_CONFIG',
    'E_TIMEOUT',
  ],
  plan: async ({ target, keep, gone, session }, context) => {
    if (keep === gone)
      throw new Fault('E_USAGE', 'Pass either --keep or --gone.', {
        hint: 'Use --keep for a process that is needed, --gone for one that no one needs.',
        details: { field: 'keep' },
      });
    const verdict: 'keep' | 'gone' = keep ? 'keep' : 'gone';
    const subject = await triageOf(context).findForFeedback({ target, session });
    const { pid, start_id, cmd_full } = subject.assessment;
    return {
      changes: [
        {
          action: 'record',
          resource: 'feedback',
          id: `${pid}:${start_id}`,
          after: { verdict, command: cmd_full },
          version: subject.version,
        },
      ],
      subject,
      verdict,
    };
  },
  run: (_given, context, { subject, verdict }) => triageOf(context).giveFeedback(subject, verdict),
});
