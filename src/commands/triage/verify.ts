import * as v from 'valibot';
import { int, number, record } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { sessionParameter } from './triage-parameters.ts';
import { answer, targetSchema } from './triage-schemas.ts';

export default defineRead({
  path: 'triage verify',
  summary: 'Measure the effects of the actions of a triage session',
  params: { session: sessionParameter },
  output: answer({
    verification: v.object({
      requested_at: v.string(),
      completed_at: v.string(),
      overall_status: v.picklist(['success', 'partial_success', 'failure']),
      confirmed: int(),
      total: int(),
    }),
    action_outcomes: v.array(
      v.object({
        target: targetSchema,
        action: v.string(),
        outcome: v.picklist([
          'confirmed_dead',
          'confirmed_stopped',
          'still_running',
          'respawned',
          'pid_reused',
          'cascaded',
          'timeout',
        ]),
        note: v.string(),
        time_to_death_ms: v.optional(int()),
        resources_freed: v.object({ memory_mb: number(), expected_mb: number() }),
        surviving_pids: v.optional(v.array(int())),
        respawn_detected: v.optional(record(v.unknown())),
      }),
    ),
    resource_summary: v.object({
      memory_freed_mb: number(),
      expected_mb: number(),
      shortfall_reason: v.optional(v.string()),
    }),
  }),
  untrusted: ['action_outcomes[].note', 'action_outcomes[].respawn_detected'],
  examples: ['triage verify --session sess-20260115-143022-abc123'],
  errors: ['E_NOT_FOUND', 'E_SESSION_EXPIRED', 'E_DAMAGED', 'E_CONFLICT', 'E_CONFIG'],
  run: ({ session }, context) => triageOf(context).verify(session),
});
