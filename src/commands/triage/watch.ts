import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineStream } from '../../contract/command.ts';
import { SNAPSHOT_PARAMETERS, onlyParameter, parseSpan, parseWindow } from './triage-parameters.ts';
import { candidateSchema, candidateText, answer, targetSchema } from './triage-schemas.ts';

export default defineStream({
  path: 'triage watch',
  summary: 'Take snapshots at an interval and stream changes as JSON lines',
  description:
    'A round with new or changed candidates creates a triage session whose plan can be applied; other rounds create none',
  params: {
    interval: described(v.optional(v.string(), '60s'), 'Time between two rounds, from 10ms to 24h'),
    rounds: described(
      v.optional(v.pipe(int(), v.minValue(1))),
      'Stop after this many rounds (default: run until a signal ends it with E_INTERRUPTED)',
    ),
    only: onlyParameter,
    ...SNAPSHOT_PARAMETERS,
  },
  item: answer({
    event: v.picklist(['candidate.found', 'candidate.changed', 'candidate.gone', 'round.ended']),
    round: int(),
    candidate: v.optional(candidateSchema),
    target: v.optional(targetSchema),
    summary: v.optional(v.object({ total_scanned: int(), watched: int(), news: int(), gone: int() })),
  }),
  untrusted: candidateText('candidate'),
  examples: ['triage watch --interval 5m --only kill', 'triage watch --rounds 1'],
  errors: ['E_FORBIDDEN', 'E_CONFIG', 'E_CONFLICT', 'E_TIMEOUT'],
  run: ({ interval, rounds, only, window, uid }, context) =>
    triageOf(context).watch({
      intervalMs: parseSpan(interval, 'interval', 86_400_000, 10) ?? 60_000,
      rounds,
      only,
      windowMs: parseWindow(window),
      uid,
    }),
});
