import * as v from 'valibot';
import { described, int } from '../../../base/schema.ts';
import { defineWrite } from '../../../contract/command.ts';

export default defineWrite({
  path: 'agent sessions prune',
  summary: 'Delete old sessions of agents; running ones stay',
  description:
    '"gc" applies the same rule with the settings retention.sessions_days and retention.sessions_bytes',
  params: {
    keep_days: described(
      v.optional(v.pipe(int(), v.minValue(0), v.maxValue(36_500))),
      'Keep sessions for this many days (30)',
    ),
    keep_bytes: described(
      v.optional(v.pipe(int(), v.minValue(0))),
      'Keep at most this many bytes; the oldest sessions are deleted first (268435456)',
    ),
  },
  output: v.object({ removed: int(), freed_bytes: int(), replayed: v.optional(v.literal(true)) }),
  examples: ['agent sessions prune --dry-run', 'agent sessions prune --keep-days 7 --confirm <token>'],
  errors: ['E_FORBIDDEN'],
  plan: async (params, context) => {
    const { planSessionPrune } = await import('../../../app/agent/stored-sessions.ts');
    const { certainContext } = await import('../../../app/retention/certain-time.ts');
    const files = planSessionPrune(params, await certainContext(context));
    return {
      changes: files.map(({ path, bytes }) => ({
        action: 'delete',
        resource: 'agent_session',
        id: path,
        before: { bytes },
      })),
    };
  },
  run: async (params, context) => {
    const { pruneStoredSessions } = await import('../../../app/agent/stored-sessions.ts');
    const { certainContext } = await import('../../../app/retention/certain-time.ts');
    const { items, bytes } = pruneStoredSessions(params, await certainContext(context));
    return { removed: items, freed_bytes: bytes };
  },
});
