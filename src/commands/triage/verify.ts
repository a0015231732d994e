import * as z from '../../base/schema/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { sessionParameter } from './triage-parameters.ts';
import { answer, targetSchema } from './triage-schemas.ts';

export default defineRead({
  path: 'triage verify',
  summary: 'Measure what the actions of a session have done',
  params: { session: sessionParameter },
  output: answer(() => ({
    verification: z.object({
      requested_at: z.string(),
      completed_at: z.string(),
      overall_status: z.enum(['success', 'partial_success', 'failure']),
      confirmed: z.int(),
      total: z.int(),
    }),
    action_outcomes: z.array(
      z.object({
        target: targetSchema,
        action: z.string(),
        outcome: z.enum([
          'confirmed_dead',
          'confirmed_stopped',
          'still_running',
          'respawned',
          'pid_reused',
          'cascaded',
          'timeout',
        ]),
        note: z.string(),
        time_to_death_ms: z.optional(z.int()),
        resources_freed: z.object({ memory_mb: z.number(), expected_mb: z.number() }),
        surviving_pids: z.optional(z.array(z.int())),
        respawn_detected: z.optional(z.record(z.string(), z.unknown())),
      }),
    ),
    resource_summary: z.object({
      memory_freed_mb: z.number(),
      expected_mb: z.number(),
      shortfall_reason: z.optional(z.string()),
    }),
  })),
  untrusted: ['action_outcomes[].note', 'action_outcomes[].respawn_detected'],
  examples: ['triage verify --session sess-20260115-143022-abc123'],
  errors: ['E_NOT_FOUND', 'E_SESSION_EXPIRED', 'E_INTEGRITY', 'E_CONFLICT', 'E_CONFIG'],
  run: ({ session }, context) => triageOf(context).verify(session),
});
