import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { defineWrite } from '../../contract/command.ts';
import { allowDeletionByAge } from '../../contract/deletable-since.ts';
import { loadWork } from './load-work.ts';

export default defineWrite({
  path: 'work gc',
  summary: 'Delete workspace data that no run needs; receipts and their files stay',
  params: {
    keep_days: described(
      v.optional(v.pipe(int(), v.minValue(0), v.maxValue(36_500)), 30),
      'Keep data for replays and rollbacks for this many days',
    ),
  },
  output: v.object({
    packs: int(),
    snapshots: int(),
    manifests: int(),
    workspaces: int(),
    replays: int(),
    kept_runs: int(),
    damaged_runs: int(),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['work gc --dry-run', 'work gc --keep-days 7 --confirm <token>'],
  errors: ['E_CONFLICT', 'E_DAMAGED', 'E_FORBIDDEN'],
  plan: async ({ keep_days }, { home }) => ({
    changes: [{ action: 'collect', resource: 'contents', id: home.at('work'), after: { keep_days } }],
  }),
  run: async ({ keep_days }, context) => {
    const { collectWork, openWorkContext } = await loadWork();
    const { certainContext } = await import('../../app/retention/certain-time.ts');
    const freed = await collectWork(openWorkContext(await certainContext(context)), { keepDays: keep_days });
    allowDeletionByAge(context.home);
    return freed;
  },
});
