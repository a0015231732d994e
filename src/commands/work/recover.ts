import * as v from 'valibot';
import { databaseOf } from '../../app/locate-store.ts';
import { defineWrite } from '../../contract/command.ts';
import { describeRun } from '../../work/run/describe-run.ts';
import { listQueued } from '../../work/journal/outbox.ts';
import { loadWork } from './load-work.ts';
import { listIds } from '../../work/run/run-folder.ts';

export default defineWrite({
  path: 'work recover',
  summary: 'Recover interrupted runs: finish or roll back each one and write its receipt',
  params: {},
  output: v.object({
    recovered: v.array(
      v.object({
        run_id: v.string(),
        outcome: v.picklist(['finished', 'undone']),
        root: v.string(),
        left_alone: v.array(v.string()),
      }),
    ),
    /** Ended runs that were added to the journal by this call. */
    journalled: v.array(v.string()),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['work recover --dry-run', 'work recover --confirm <token>'],
  errors: ['E_DAMAGED', 'E_FORBIDDEN', 'E_CONFLICT'],
  database: (_params, context) => databaseOf({}, context),
  plan: async (_params, { home }) => {
    const lost = listIds(home.path, 'run').filter((id) => describeRun(home.path, id)?.status === 'lost');
    return {
      changes: [
        ...lost.map((id) => ({ action: 'recover', resource: 'run', id })),
        ...listQueued(home.path).map((id) => ({ action: 'journal', resource: 'run', id })),
      ],
    };
  },
  run: async (_params, context) => {
    const { deliverOutcomes, recoverRuns, releaseLost, openWorkContext } = await loadWork();
    const system = openWorkContext(context);
    const recovered = await recoverRuns(system);
    const journalled = await deliverOutcomes(system);
    await releaseLost(system);
    return {
      recovered: recovered.map((run) => ({ ...run, left_alone: [...run.left_alone] })),
      journalled: [...journalled],
    };
  },
});
