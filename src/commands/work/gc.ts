import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { defineWrite } from '../../contract/command.ts';
import { allowDeletionByAge } from '../../contract/retention.ts';
import { loadWork } from './load-work.ts';

export default defineWrite({
  path: 'work gc',
  summary: 'Free the disk from what no run needs any more; receipts and what they vouch for stay',
  params: {
    keep_days: described(
      v.optional(v.pipe(int(), v.minValue(0), v.maxValue(36_500)), 30),
      'How long the contents that a replay or rollback needs are kept',
    ),
  },
  output: v.object({
    packs: int(),
    snapshots: int(),
    manifests: int(),
    workspaces: int(),
    kept_runs: int(),
    replayed: v.optional(v.literal(true)),
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
