import * as z from '../../base/schema/schema.ts';
import type { JsonObject } from '../../base/json.ts';

/** What the answers of triage look like, in the spelling of the process-triage contract. */
const share = z.number();
const anything = z.unknown();
const map = z.record(z.string(), z.unknown());

/**
 * The schema of an answer: its own members after those that every answer has. It is built when somebody asks for it, which few
 * calls do; the part itself answers with plain JSON.
 */
export function answer(members: () => z.core.$ZodLooseShape): z.core.$ZodType<JsonObject> {
  return z.lazy(() =>
    z.object({
      session_id: z.nullable(z.string()),
      generated_at: z.string(),
      host_id: z.string(),
      ...members(),
      _untrusted: z.optional(z.array(z.string())),
    }),
  );
}

export const targetSchema = z.object({ pid: z.int(), start_id: z.string() });

const blastRadius = z.object({
  memory_mb: z.number(),
  cpu_pct: z.number(),
  child_count: z.int(),
  connection_count: z.int(),
  open_files: z.int(),
  dependent_processes: z.array(z.object({ pid: z.int(), relationship: z.string(), cmd_short: z.string() })),
  risk_level: z.enum(['none', 'low', 'medium', 'high', 'critical']),
  summary: z.string(),
});

const reversibility = z.object({
  reversible: z.boolean(),
  recovery_options: z.array(z.string()),
  data_at_risk: z.boolean(),
  open_write_fds: z.array(z.object({ fd: z.int(), path: z.string(), moving: z.boolean() })),
  note: z.string(),
});

const supervisor = z.object({
  detected: z.boolean(),
  type: z.nullable(z.string()),
  unit: z.nullable(z.string()),
  recommended_action: z.string(),
  supervisor_command: z.nullable(z.string()),
});

const uncertainty = z.object({
  confidence_level: z.number(),
  uncertainty_drivers: z.array(z.object({ factor: z.string(), impact: z.string(), note: z.string() })),
  to_increase_confidence: z.array(
    z.object({ probe: z.string(), expected_gain: z.number(), cost: z.string() }),
  ),
  decision_robustness: z.enum(['low', 'medium', 'high']),
});

const mandatory = {
  pid: z.int(),
  start_id: z.string(),
  uid: z.int(),
  ppid: z.int(),
  cmd_short: z.string(),
  cmd_full: z.string(),
  classification: z.enum(['useful', 'useful_bad', 'abandoned', 'zombie']),
  posterior: z.object({ abandoned: share, useful: share, useful_bad: share, zombie: share }),
  confidence: z.enum(['low', 'medium', 'high', 'very_high']),
  matched_signature: z.nullable(z.string()),
  novel_pattern: z.boolean(),
  blast_radius: blastRadius,
  reversibility,
  supervisor,
  uncertainty,
  recommended_action: z.enum(['kill', 'pause', 'throttle', 'restart', 'review', 'spare']),
  action_rationale: z.string(),
  origin: z.optional(
    z.object({
      run: z.nullable(
        z.object({
          id: z.string(),
          state: z.enum(['alive', 'ended', 'unknown']),
          item: z.nullable(z.string()),
          agent: z.nullable(z.string()),
          status: z.nullable(z.string()),
          ended_at: z.nullable(z.string()),
        }),
      ),
      agent: z.nullable(
        z.object({
          session: z.string(),
          pid: z.int(),
          state: z.enum(['alive', 'ended', 'unknown']),
          last_seen_at: z.nullable(z.string()),
        }),
      ),
    }),
  ),
};

/** With `--verbose`, `--include-ledger` and `--include-raw`. */
const expanded = {
  state: z.optional(z.string()),
  exe: z.optional(z.nullable(z.string())),
  start_ticks: z.optional(z.number()),
  exemption: z.optional(z.nullable(z.string())),
  observation: z.optional(map),
  expected_loss: z.optional(map),
  infeasible: z.optional(map),
  e_value: z.optional(anything),
  e_bh_rejected: z.optional(z.boolean()),
  conformal: z.optional(map),
  hazard: z.optional(map),
  value_of_information: z.optional(z.array(map)),
  tree: z.optional(z.array(map)),
  evidence_ledger: z.optional(z.array(map)),
  log_posterior: z.optional(map),
  raw_samples: z.optional(z.nullable(map)),
};

export const candidateSchema = z.object({ ...mandatory, ...expanded });

export const EXPANSIONS = {
  prose_summary: z.optional(
    z.object({
      executive: z.string(),
      actions: z.string(),
      rationale: z.string(),
      next_steps: z.string(),
    }),
  ),
  galaxy_brain: z.optional(z.object({ enabled: z.boolean(), cards: z.array(map) })),
};

export const visibilitySchema = z.object({
  complete: z.boolean(),
  hidepid: z.string(),
  unreadable_processes: z.int(),
  vanished: z.int(),
  notes: z.array(z.string()),
});

export const resultSchema = z.object({
  target: targetSchema,
  action: z.string(),
  outcome: z.enum(['success', 'skipped', 'failed', 'blocked']),
  reason: z.string(),
  duration_ms: z.int(),
  gate: z.optional(z.string()),
  warnings: z.optional(z.array(z.string())),
  tree_size: z.optional(z.int()),
  method: z.optional(z.string()),
  reversible: z.optional(z.boolean()),
  escalation: z.optional(z.string()),
});

/** Where a candidate holds text that its process chose. */
export function candidateText(prefix: string): readonly string[] {
  return [
    'cmd_short',
    'cmd_full',
    'exe',
    'origin',
    'supervisor',
    'blast_radius.dependent_processes',
    'reversibility.open_write_fds',
    'reversibility.recovery_options',
    'raw_samples',
  ].map((name) => `${prefix}.${name}`);
}
