import * as v from 'valibot';
import { omit } from '../../base/omit.ts';
import { described } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { EXPANSION_PARAMETERS, targetsParameter } from './triage-parameters.ts';
import { renderExplanation } from './explain-page.ts';
import { readExpansions } from './read-expansions.ts';
import { candidateSchema, candidateText, answer, EXPANSIONS } from './triage-schemas.ts';
import { sessionId } from './session-ids.ts';

const expansions = omit(EXPANSION_PARAMETERS, 'verbose', 'include_ledger');

export default defineRead({
  path: 'triage explain',
  summary: 'Explain the assessment of processes with all numbers',
  description:
    'With --session it uses the stored snapshot. Without it, a new snapshot and triage session are created',
  params: {
    targets: targetsParameter,
    session: sessionId(
      described(
        v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
        'Use the snapshot of this triage session',
      ),
    ),
    ...expansions,
  },
  positionals: ['targets'],
  output: answer({ candidates: v.array(candidateSchema), ...EXPANSIONS }),
  untrusted: candidateText('candidates[]'),
  examples: [
    'triage explain 1234 --galaxy-brain',
    'triage explain --targets 1234,5678 --session sess-20260115-143022-abc123',
  ],
  errors: [
    'E_NOT_FOUND',
    'E_SESSION_EXPIRED',
    'E_IDENTITY_MISMATCH',
    'E_DAMAGED',
    'E_CONFLICT',
    'E_CONFIG',
    'E_TIMEOUT',
    'E_FORBIDDEN',
  ],
  renderText: renderExplanation,
  run: ({ targets, session, ...given }, context) =>
    triageOf(context).explain({
      targets,
      session,
      ...readExpansions({ ...given, verbose: true, include_ledger: true }),
    }),
});
