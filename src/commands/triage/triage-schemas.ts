import * as v from 'valibot';
import { int, number, record } from '../../base/schema.ts';
import type { JsonObject } from '../../base/json.ts';

/** Output schemas of triage, with the field names of the process-triage contract. */
const share = number();
const anything = v.unknown();
const map = record(v.unknown());

/** Creates an output schema: the common members and the members of one command. */
export function answer(members: v.ObjectEntries): v.GenericSchema<unknown, JsonObject> {
  return v.object({
    session_id: v.nullable(v.string()),
    generated_at: v.string(),
    host_id: v.string(),
    ...members,
    _untrusted: v.optional(v.array(v.string())),
  });
}

export const targetSchema = v.object({ pid: int(), start_id: v.string() });

const blastRadius = v.object({
  memory_mb: number(),
  cpu_pct: number(),
  child_count: int(),
  connection_count: int(),
  open_files: int(),
  dependent_processes: v.array(v.object({ pid: int(), relationship: v.string(), cmd_short: v.string() })),
  risk_level: v.picklist(['none', 'low', 'medium', 'high', 'critical']),
  summary: v.string(),
});

const reversibility = v.object({
  reversible: v.boolean(),
  recovery_options: v.array(v.string()),
  data_at_risk: v.boolean(),
  open_write_fds: v.array(v.object({ fd: int(), path: v.string(), moving: v.boolean() })),
  note: v.string(),
});

const supervisor = v.object({
  detected: v.boolean(),
  type: v.nullable(v.string()),
  unit: v.nullable(v.string()),
  recommended_action: v.string(),
  supervisor_command: v.nullable(v.string()),
});

const uncertainty = v.object({
  confidence_level: number(),
  uncertainty_drivers: v.array(v.object({ factor: v.string(), impact: v.string(), note: v.string() })),
  to_increase_confidence: v.array(v.object({ probe: v.string(), expected_gain: number(), cost: v.string() })),
  decision_robustness: v.picklist(['low', 'medium', 'high']),
});

const mandatory = {
  pid: int(),
  start_id: v.string(),
  uid: int(),
  ppid: int(),
  cmd_short: v.string(),
  cmd_full: v.string(),
  classification: v.picklist(['useful', 'useful_bad', 'abandoned', 'zombie']),
  posterior: v.object({ abandoned: share, useful: share, useful_bad: share, zombie: share }),
  confidence: v.picklist(['low', 'medium', 'high', 'very_high']),
  matched_signature: v.nullable(v.string()),
  novel_pattern: v.boolean(),
  blast_radius: blastRadius,
  reversibility,
  supervisor,
  uncertainty,
  recommended_action: v.picklist(['kill', 'pause', 'throttle', 'restart', 'review', 'spare']),
  action_rationale: v.string(),
  grounds: v.optional(v.object({ found: v.boolean(), reason: v.string() })),
  vetoes: v.optional(v.array(v.object({ veto: v.string(), reason: v.string() }))),
  superseded: v.optional(v.object({ parent: int(), newest: int(), instances: int(), memory_mb: number() })),
  origin: v.optional(
    v.object({
      run: v.nullable(
        v.object({
          id: v.string(),
          state: v.picklist(['alive', 'ended', 'unknown']),
          item: v.nullable(v.string()),
          agent: v.nullable(v.string()),
          status: v.nullable(v.string()),
          ended_at: v.nullable(v.string()),
        }),
      ),
      agent: v.nullable(
        v.object({
          session: v.string(),
          pid: int(),
          state: v.picklist(['alive', 'ended', 'unknown']),
          last_seen_at: v.nullable(v.string()),
        }),
      ),
    }),
  ),
};

/** With `--verbose`, `--include-ledger` and `--include-raw`. */
const expanded = {
  state: v.optional(v.string()),
  exe: v.optional(v.nullable(v.string())),
  start_ticks: v.optional(number()),
  exemption: v.optional(v.nullable(v.string())),
  observation: v.optional(map),
  expected_loss: v.optional(map),
  infeasible: v.optional(map),
  e_value: v.optional(anything),
  e_bh_rejected: v.optional(v.boolean()),
  conformal: v.optional(map),
  hazard: v.optional(map),
  value_of_information: v.optional(v.array(map)),
  tree: v.optional(v.array(map)),
  evidence_ledger: v.optional(v.array(map)),
  log_posterior: v.optional(map),
  raw_samples: v.optional(v.nullable(map)),
};

export const candidateSchema = v.object({ ...mandatory, ...expanded });

export const EXPANSIONS = {
  prose_summary: v.optional(
    v.object({
      executive: v.string(),
      actions: v.string(),
      rationale: v.string(),
      next_steps: v.string(),
    }),
  ),
  galaxy_brain: v.optional(v.object({ enabled: v.boolean(), cards: v.array(map) })),
};

export const visibilitySchema = v.object({
  complete: v.boolean(),
  hidepid: v.string(),
  unreadable_processes: int(),
  vanished: int(),
  notes: v.array(v.string()),
});

export const resultSchema = v.object({
  target: targetSchema,
  action: v.string(),
  outcome: v.picklist(['success', 'skipped', 'failed', 'blocked']),
  reason: v.string(),
  duration_ms: int(),
  gate: v.optional(v.string()),
  warnings: v.optional(v.array(v.string())),
  tree_size: v.optional(int()),
  method: v.optional(v.string()),
  reversible: v.optional(v.boolean()),
  escalation: v.optional(v.string()),
});

/** Returns the fields of a candidate with text that its process controls. */
export function candidateText(prefix: string): readonly string[] {
  return [
    'cmd_short',
    'cmd_full',
    'exe',
    'action_rationale',
    'grounds.reason',
    'vetoes',
    'origin',
    'supervisor',
    'blast_radius.dependent_processes',
    'reversibility.open_write_fds',
    'reversibility.recovery_options',
    'raw_samples',
  ].map((name) => `${prefix}.${name}`);
}
