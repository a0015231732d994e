import * as v from 'valibot';
import { described, int, number } from '../../base/schema.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Change } from '../../contract/plan.ts';
import type { ParametersOf } from '../../contract/described-command.ts';
import { parseSizeMb } from '../../triage/gates/apply-policy.ts';
import type { ApplyRequest, PreviewedAction } from '../../triage/triage.ts';
import { parseSpan, sessionParameter, targetsParameter, uidParameter } from './triage-parameters.ts';

/** The parameters of apply in every executable. */
export const APPLY_PARAMETERS = {
  session: sessionParameter,
  recommended: described(v.optional(v.boolean(), false), 'Execute all preselected actions of the plan'),
  targets: described(
    v.optional(targetsParameter),
    'Execute only the actions for these processes: pid or pid:start_id',
  ),
  resume: described(v.optional(v.boolean(), false), 'Resume an interrupted apply'),
  min_posterior: described(
    v.optional(v.pipe(number(), v.minValue(0), v.maxValue(1))),
    'Minimum probability of the target class, for example 0.99',
  ),
  max_blast_radius: described(
    v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(40))),
    'Maximum total memory of the affected processes, for example 2GB',
  ),
  max_kills: described(
    v.optional(v.pipe(int(), v.minValue(0), v.maxValue(100_000))),
    'Maximum number of processes to terminate, descendants included',
  ),
  require_known_signature: described(
    v.optional(v.boolean(), false),
    'Act only on processes that match a known signature',
  ),
  max_plan_age: described(
    v.optional(v.pipe(v.string(), v.maxLength(40))),
    'How old the plan may be (default 15m); --resume assesses again instead',
  ),
  grace: described(
    v.optional(v.pipe(v.string(), v.maxLength(40))),
    'Time between SIGTERM and SIGKILL (default 5s)',
  ),
  timeout: described(
    v.optional(v.pipe(v.string(), v.maxLength(40))),
    'Stop before the next action after this time',
  ),
  uid: uidParameter,
};

/** The errors of apply in every executable. */
export const APPLY_ERRORS = [
  'E_NOT_FOUND',
  'E_SESSION_EXPIRED',
  'E_IDENTITY_MISMATCH',
  'E_PROTECTED',
  'E_GATE_FAILED',
  'E_BUDGET_EXHAUSTED',
  'E_FORBIDDEN',
  'E_CONFLICT',
  'E_DAMAGED',
  'E_CONFIG',
  'E_TIMEOUT',
] as const;

export const APPLY_DESCRIPTION =
  'Kills, pauses, throttles or restarts processes of a plan. Each process is pinned by a pidfd and assessed and checked again by the gates right before its action; one that has changed is skipped. Progress is recorded after every action; --resume continues an interrupted apply';

/** The version contains the result of the gates, so that a confirm token is invalid when that result changes. */
export function describeChange({ action: { action, stage, target }, gates }: PreviewedAction): Change {
  const last = gates.at(-1);
  const passes = last?.verdict === 'pass' || last?.verdict === 'warn';
  // Passed gates are omitted.
  const shown = gates.filter(({ verdict }) => verdict !== 'pass').map((gate) => ({ ...gate }));
  const after: JsonObject = { stage, would_run: passes, gates: shown };
  return {
    action,
    resource: 'process',
    id: `${target.pid}:${target.start_id}`,
    after,
    version: passes ? 'passes' : `stopped at ${last?.gate ?? 'no gate'}`,
  };
}

/** Converts the parameters to a request. */
export function readRequest(given: ParametersOf<typeof APPLY_PARAMETERS>): ApplyRequest {
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
      maxPlanAgeMs: parseSpan(given.max_plan_age, 'max_plan_age', 7 * 86_400_000),
      requireKnownSignature: given.require_known_signature,
      uid: given.uid,
    },
  };
}
