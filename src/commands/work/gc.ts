import * as z from 'zod/mini';
import { workWorld } from '../../app/work-world.ts';
import { defineWrite, described } from '../../contract/command.ts';
import { collectWork } from '../../work/plan/collect-work.ts';

export default defineWrite({
  path: 'work gc',
  summary: 'Free the disk from what no run needs any more; receipts and what they vouch for stay',
  params: {
    keep_days: described(
      z._default(z.int().check(z.gte(0), z.lte(36_500)), 30),
      'How long the contents that a replay or rollback needs are kept',
    ),
  },
  output: z.object({
    snapshots: z.int(),
    objects: z.int(),
    workspaces: z.int(),
    bytes: z.number(),
    kept_runs: z.int(),
    replayed: z.optional(z.literal(true)),
  }),
  examples: ['work gc --dry-run', 'work gc --keep-days 7 --confirm <token>'],
  errors: ['E_CONFLICT', 'E_INTEGRITY', 'E_FORBIDDEN'],
  plan: async ({ keep_days }, { home }) => ({
    changes: [{ action: 'collect', resource: 'contents', id: home.at('work'), after: { keep_days } }],
  }),
  run: async ({ keep_days }, context) => collectWork(workWorld(context), keep_days),
});
