import * as v from 'valibot';
import { described, int, number, record } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import {
  EXPANSION_PARAMETERS,
  SNAPSHOT_PARAMETERS,
  onlyParameter,
  parseWindow,
} from './triage-parameters.ts';
import { readExpansions } from './read-expansions.ts';
import {
  candidateSchema,
  candidateText,
  answer,
  EXPANSIONS,
  targetSchema,
  visibilitySchema,
} from './triage-schemas.ts';
import { runId } from '../work/work-ids.ts';
import { sessionId } from './session-ids.ts';

const session = v.pipe(v.string(), v.minLength(1), v.maxLength(200));

export default defineRead({
  path: 'triage plan',
  summary: 'Find processes that agents left running, and recommend an action for each',
  description:
    'With --session it uses the stored snapshot and plan, so that the result is the same each time. Without it, a new snapshot and triage session are created. Recommended actions are kill, pause, throttle, restart, review and spare; triage apply executes them',
  params: {
    session: sessionId(described(v.optional(session), 'Use the snapshot and plan of this triage session')),
    run: runId(
      described(v.optional(session), 'Only processes that this run started; the plan contains no others'),
    ),
    since: sessionId(
      described(
        v.optional(session),
        'Show only candidates that are new or changed since this triage session',
      ),
    ),
    port: described(
      v.optional(v.pipe(int(), v.minValue(1), v.maxValue(65_535))),
      'Only what listens on this TCP port, and whether it may be terminated; spared processes are shown too',
    ),
    exclude: described(
      v.optional(v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(200))), v.maxLength(100))),
      'Plan no action for these: a pid, pid:start_id, or the name of a program, script or package; * at the end matches any suffix',
    ),
    ...SNAPSHOT_PARAMETERS,
    limit: described(
      v.optional(v.pipe(int(), v.minValue(1), v.maxValue(1000))),
      'Maximum number of candidates (default 50)',
    ),
    only: onlyParameter,
    ...EXPANSION_PARAMETERS,
  },
  output: answer({
    summary: v.object({
      total_scanned: int(),
      candidates_found: int(),
      kill_recommended: int(),
      review_recommended: int(),
      spare_count: int(),
      total_recoverable_mb: number(),
      total_recoverable_cpu_pct: number(),
    }),
    candidates: v.array(candidateSchema),
    candidates_left_out: v.optional(int()),
    recommended: v.object({
      preselected_pids: v.array(int()),
      actions: v.array(
        v.object({
          target: targetSchema,
          action: v.string(),
          stage: int(),
          gates: v.array(v.string()),
        }),
      ),
      total_actions: int(),
      estimated_recovery_mb: number(),
    }),
    visibility: v.optional(visibilitySchema),
    since: v.optional(record(v.unknown())),
    scan: v.optional(record(v.unknown())),
    ...EXPANSIONS,
  }),
  sort: 'most urgent first',
  untrusted: candidateText('candidates[]'),
  columns: ['pid', 'cmd_short', 'recommended_action', 'confidence', 'action_rationale'],
  examples: [
    'triage plan --limit 5',
    'triage plan --session sess-20260115-143022-abc123 --only kill,review --include-prose',
    'triage plan --run run_6a2x74g1q2w8d',
    'triage plan --port 3000',
    'triage plan --exclude 4711,my-server.js',
  ],
  errors: [
    'E_NOT_FOUND',
    'E_SESSION_EXPIRED',
    'E_DAMAGED',
    'E_CONFLICT',
    'E_FORBIDDEN',
    'E_CONFIG',
    'E_TIMEOUT',
  ],
  run: (given, context) =>
    triageOf(context).plan({
      session: given.session,
      run: given.run,
      port: given.port,
      exclude: given.exclude,
      since: given.since,
      windowMs: parseWindow(given.window),
      uid: given.uid,
      limit: given.limit,
      only: given.only,
      ...readExpansions(given),
    }),
});
