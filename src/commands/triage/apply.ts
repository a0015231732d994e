import * as v from 'valibot';
import { described, int, number } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Change } from '../../contract/plan.ts';
import { defineWrite } from '../../contract/command.ts';
import type { ParametersOf } from '../../contract/described-command.ts';
import { parseSizeMb } from '../../triage/gates/apply-policy.ts';
import type { ApplyRequest, PreviewedAction } from '../../triage/triage.ts';
import { parseSpan, sessionParameter, targetsParameter, uidParameter } from './triage-parameters.ts';
import { answer, resultSchema } from './triage-schemas.ts';

const params = {
  session: sessionParameter,
  recommended: described(v.optional(v.boolean(), false), 'Everything that the plan selected'),
  targets: described(v.optional(targetsParameter), 'Only these of the plan: pid or pid:start_id'),
  resume: described(v.optional(v.boolean(), false), 'Go on with a run that was interrupted'),
  min_posterior: described(
    v.optional(v.pipe(number(), v.minValue(0), v.maxValue(1))),
    'Only act above this probability, for example 0.99',
  ),
  max_blast_radius: described(
    v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(40))),
    'What all actions together may free, for example 2GB',
  ),
  max_kills: described(
    v.optional(v.pipe(int(), v.minValue(0), v.maxValue(100_000))),
    'How many trees may be killed',
  ),
  require_known_signature: described(
    v.optional(v.boolean(), false),
    'Only act on what a known signature matches',
  ),
  grace: described(
    v.optional(v.pipe(v.string(), v.maxLength(40))),
    'Time between asking and forcing (default 5s)',
  ),
  timeout: described(
    v.optional(v.pipe(v.string(), v.maxLength(40))),
    'Stop between two actions after this time',
  ),
  uid: uidParameter,
};

export default defineWrite({
  path: 'triage apply',
  summary: 'Do what a plan recommends, as far as every gate lets it',
  description:
    'Ends, stops, slows or restarts processes of a plan: each is looked at again right before, held by a descriptor, and passed through the gates. What is done is on record after every action, and a run that was interrupted goes on with --resume',
  gate: 'dangerous',
  params,
  output: answer({
    results: v.array(resultSchema),
    summary: v.object({
      total: int(),
      successful: int(),
      skipped: int(),
      blocked: int(),
      failed: int(),
      memory_freed_mb: number(),
    }),
    replayed: v.optional(v.literal(true)),
  }),
  untrusted: ['results[].reason'],
  examples: [
    'triage apply --session sess-20260115-143022-abc123 --recommended --dry-run',
    'triage apply --session sess-20260115-143022-abc123 --recommended --confirm <token> --dangerous',
  ],
  errors: [
    'E_NOT_FOUND',
    'E_SESSION_EXPIRED',
    'E_IDENTITY_MISMATCH',
    'E_PROTECTED',
    'E_GATE_FAILED',
    'E_BUDGET_EXHAUSTED',
    'E_FORBIDDEN',
    'E_CONFLICT',
    'E_INTEGRITY',
    'E_CONFIG',
    'E_TIMEOUT',
  ],
  runsWithoutPlan: true,
  plan: async (given, context) => {
    const actions = await triageOf(context).preview(given.session, readRequest(given));
    return { changes: actions.map(describeChange) };
  },
  run: (given, context) => triageOf(context).apply(given.session, readRequest(given)),
});

/** The version binds what the gates said: a token for an action that would pass is void once it would not, and the other way round. */
function describeChange({ action: { action, stage, target }, gates }: PreviewedAction): Change {
  const last = gates.at(-1);
  const passes = last?.verdict === 'pass' || last?.verdict === 'warn';
  // What a gate let pass needs no words.
  const told = gates.filter(({ verdict }) => verdict !== 'pass').map((gate) => ({ ...gate }));
  const after: JsonObject = { stage, would_run: passes, gates: told };
  return {
    action,
    resource: 'process',
    id: `${target.pid}:${target.start_id}`,
    after,
    version: passes ? 'passes' : `stopped at ${last?.gate ?? 'no gate'}`,
  };
}

function readRequest(given: ParametersOf<typeof params>): ApplyRequest {
  return {
    recommended: given.recommended,
    targets: given.targets,
    resume: given.resume,
    graceMs: parseSpan(given.grace, 'grace', 600_000),
    timeoutMs: parseSpan(given.timeout, 'timeout', 86_400_000),
    policy: {
      minPosterior: given.min_posterior,
      maxBlastRadiusMb:
        given.max_blast_radius === undefined
          ? undefined
          : parseSizeMb(given.max_blast_radius, 'max_blast_radius'),
      maxKills: given.max_kills,
      requireKnownSignature: given.require_known_signature,
      uid: given.uid,
    },
  };
}
