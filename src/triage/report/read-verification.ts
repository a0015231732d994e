import * as v from 'valibot';
import { int, number } from '../../base/schema.ts';
import type { TriageSession } from '../session/session.ts';

function createSchema() {
  return v.object({
    verification: v.object({ completed_at: v.string(), confirmed: int(), total: int() }),
    action_outcomes: v.array(
      v.object({
        target: v.object({ pid: int(), start_id: v.string() }),
        outcome: v.string(),
        time_to_death_ms: v.optional(number()),
        resources_freed: v.object({ memory_mb: number() }),
      }),
    ),
    resource_summary: v.object({
      memory_freed_mb: number(),
      expected_mb: number(),
      shortfall_reason: v.optional(v.string()),
    }),
  });
}

/** What the last verify measured, as far as a report shows it. */
export type Measured = v.InferOutput<ReturnType<typeof createSchema>>;

/** Telemetry is not sealed, so it is checked; nothing is decided by it. Undefined when nothing was measured. */
export function readVerification(session: TriageSession): Measured | undefined {
  const checked = v.safeParse(createSchema(), session.readTelemetry('verification.json'));
  return checked.success ? checked.output : undefined;
}
