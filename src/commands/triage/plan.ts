import * as z from '../../base/schema/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { EXPANSION_PARAMETERS, LOOK_PARAMETERS, onlyParameter, parseWindow } from './triage-parameters.ts';
import { readExpansions } from './read-expansions.ts';
import {
  candidateSchema,
  candidateText,
  answer,
  EXPANSIONS,
  targetSchema,
  visibilitySchema,
} from './triage-schemas.ts';

const session = z.string().check(z.minLength(1), z.maxLength(200));

export default defineRead({
  path: 'triage plan',
  summary: 'Find processes that were left running, judge them and say what should be done with which',
  description:
    'With --session the stored snapshot is judged, or the stored plan shown: nothing is looked at anew, and the answer is the same each time. Nothing is done to any process; that takes triage apply. Recommendations are to kill, pause, throttle, restart, review or spare',
  params: {
    session: z.described(z.optional(session), 'Use the snapshot and plan of this session'),
    run: z.described(
      z.optional(session),
      'Only processes that carry the mark of this run; the plan, and what is applied of it, is about them alone',
    ),
    since: z.described(z.optional(session), 'Show only what is new or judged otherwise since this session'),
    ...LOOK_PARAMETERS,
    limit: z.described(
      z.optional(z.int().check(z.gte(1), z.lte(1000))),
      'How many candidates to show (default 50)',
    ),
    only: onlyParameter,
    ...EXPANSION_PARAMETERS,
  },
  output: answer(() => ({
    summary: z.object({
      total_scanned: z.int(),
      candidates_found: z.int(),
      kill_recommended: z.int(),
      review_recommended: z.int(),
      spare_count: z.int(),
      total_recoverable_mb: z.number(),
      total_recoverable_cpu_pct: z.number(),
    }),
    candidates: z.array(candidateSchema),
    candidates_left_out: z.optional(z.int()),
    recommended: z.object({
      preselected_pids: z.array(z.int()),
      actions: z.array(
        z.object({
          target: targetSchema,
          action: z.string(),
          stage: z.int(),
          gates: z.array(z.string()),
        }),
      ),
      total_actions: z.int(),
      estimated_recovery_mb: z.number(),
    }),
    visibility: z.optional(visibilitySchema),
    since: z.optional(z.record(z.string(), z.unknown())),
    scan: z.optional(z.record(z.string(), z.unknown())),
    ...EXPANSIONS,
  })),
  sort: 'most pressing first',
  untrusted: candidateText('candidates[]'),
  examples: [
    'triage plan --limit 5',
    'triage plan --session sess-20260115-143022-abc123 --only kill,review --include-prose',
    'triage plan --run run_0199c0ffee00a1b2c3d4e5f6',
  ],
  errors: [
    'E_NOT_FOUND',
    'E_SESSION_EXPIRED',
    'E_INTEGRITY',
    'E_CONFLICT',
    'E_FORBIDDEN',
    'E_CONFIG',
    'E_TIMEOUT',
  ],
  run: (given, context) =>
    triageOf(context).plan({
      session: given.session,
      run: given.run,
      since: given.since,
      windowMs: parseWindow(given.window),
      uid: given.uid,
      limit: given.limit,
      only: given.only,
      ...readExpansions(given),
    }),
});
