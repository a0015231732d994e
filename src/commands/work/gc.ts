import * as z from '../../base/schema/schema.ts';
import { defineWrite } from '../../contract/command.ts';
import { allowDeletionByAge } from '../../contract/retention.ts';
import { loadWork } from './load-work.ts';

export default defineWrite({
  path: 'work gc',
  summary: 'Free the disk from what no run needs any more; receipts and what they vouch for stay',
  params: {
    keep_days: z.described(
      z._default(z.int().check(z.gte(0), z.lte(36_500)), 30),
      'How long the contents that a replay or rollback needs are kept',
    ),
  },
  output: z.object({
    packs: z.int(),
    snapshots: z.int(),
    manifests: z.int(),
    workspaces: z.int(),
    kept_runs: z.int(),
    replayed: z.optional(z.literal(true)),
  }),
  examples: ['work gc --dry-run', 'work gc --keep-days 7 --confirm <token>'],
  errors: ['E_CONFLICT', 'E_INTEGRITY', 'E_FORBIDDEN'],
  plan: async ({ keep_days }, { home }) => ({
    changes: [{ action: 'collect', resource: 'contents', id: home.at('work'), after: { keep_days } }],
  }),
  run: async ({ keep_days }, context) => {
    const { collectWork, openWorkContext } = await loadWork();
    const freed = await collectWork(openWorkContext(context), keep_days);
    allowDeletionByAge(context.home);
    return freed;
  },
});
