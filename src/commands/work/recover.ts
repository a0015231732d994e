import * as v from 'valibot';
import { databaseOf } from '../../app/locate-store.ts';
import { defineWrite } from '../../contract/command.ts';
import { describeRunOrDamage } from '../../work/run/describe-run.ts';
import { listQueued } from '../../work/journal/outbox.ts';
import { loadWork } from './load-work.ts';
import { listIds } from '../../work/run/run-folder.ts';

export default defineWrite({
  path: 'work recover',
  summary: 'Recover interrupted runs: finish or roll back each one and write its receipt',
  description:
    'Also promotes stored results of interrupted jobs whose level is complete, and repairs the signing key and the chain of receipts from the receipts. The dry run lists all of it.',
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
    /** Stored results of interrupted jobs that this call promoted. */
    promoted: v.array(v.string()),
    /** Files that this call repaired, and how. */
    repaired: v.array(v.object({ path: v.string(), repair: v.string() })),
    /** Runs that cannot be read, and why; "work show" explains how to fix them. */
    damaged: v.array(v.object({ run_id: v.string(), problem: v.string() })),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['work recover --dry-run', 'work recover --confirm <token>'],
  errors: ['E_DAMAGED', 'E_FORBIDDEN', 'E_CONFLICT'],
  database: (_params, context) => databaseOf({}, context),
  plan: async (_params, { home }) => {
    const { listStored, planReceiptRepairs } = await loadWork();
    const lost = listIds(home.path, 'run').filter(
      (id) => describeRunOrDamage(home.path, id)?.status === 'lost',
    );
    return {
      changes: [
        ...planReceiptRepairs(home.path).map(({ path, repair }) => ({
          action: 'repair',
          resource: 'file',
          id: path,
          after: { repair },
        })),
        ...listStored(home.path).map((id) => ({ action: 'promote', resource: 'run', id })),
        ...lost.map((id) => ({ action: 'recover', resource: 'run', id })),
        ...listQueued(home.path).map((id) => ({ action: 'journal', resource: 'run', id })),
      ],
    };
  },
  run: async (_params, context) => {
    const { deliverOutcomes, promoteStored, recoverRuns, releaseLost, repairReceipts, openWorkContext } =
      await loadWork();
    const work = openWorkContext(context);
    const repaired = await repairReceipts(context.home.path);
    const recovered = await recoverRuns(work, listIds(context.home.path, 'run'));
    const promoted = await promoteStored(work);
    const journalled = await deliverOutcomes(work);
    await releaseLost(work);
    return {
      recovered: recovered.map((run) => ({ ...run, left_alone: [...run.left_alone] })),
      journalled: [...journalled],
      promoted: [...promoted],
      repaired: repaired.map(({ path, repair }) => ({ path, repair })),
      damaged: listDamaged(context.home.path),
    };
  },
});

function listDamaged(home: string): { run_id: string; problem: string }[] {
  return listIds(home, 'run').flatMap((runId) => {
    const line = describeRunOrDamage(home, runId);
    return line?.status === 'damaged' ? [{ run_id: runId, problem: line.problem ?? '' }] : [];
  });
}
