import * as v from 'valibot';
import { databaseOf } from '../../app/locate-store.ts';
import { described } from '../../base/schema.ts';
import { defineWrite } from '../../contract/command.ts';
import type { RolledBack } from '../../work/run/rollback-run.ts';
import { loadWork } from './load-work.ts';
import { exactlyOne } from './read-plan.ts';
import { personOrAgent } from './require-person.ts';
import { jobId, runId } from './work-ids.ts';

const ROLLED_BACK = {
  run_id: v.string(),
  rolled_back: v.string(),
  receipt_id: v.string(),
  output_hash: v.string(),
  files: v.array(v.string()),
};

export default defineWrite({
  path: 'work rollback',
  summary: 'Undo a promoted run, or all runs of a job, if their files were not changed since',
  params: {
    id: runId(
      described(
        v.optional(v.pipe(v.string(), v.minLength(1))),
        'Run id, as shown by "work list", or a unique prefix of it',
      ),
    ),
    job: jobId(
      described(
        v.optional(v.pipe(v.string(), v.minLength(1))),
        'Undo all promoted runs of this job, the last one first, or none of them',
      ),
    ),
  },
  positionals: ['id'],
  output: v.object({
    ...ROLLED_BACK,
    runs: v.optional(v.array(v.object(ROLLED_BACK))),
    replayed: v.optional(v.literal(true)),
  }),
  examples: [
    'work rollback run_6a2x74g1q2w8d --dry-run',
    'work rollback run_6a2x74g1q2w8d --confirm <token>',
    'work rollback --job job_6a2x74g09zy4f --dry-run',
  ],
  errors: ['E_NOT_FOUND', 'E_CONFLICT', 'E_DAMAGED', 'E_FORBIDDEN'],
  database: (_params, context) => databaseOf({}, context),
  plan: async ({ id, job }, { home }) => {
    exactlyOne(['id', 'job'], [id, job]);
    const { listPromoted, requirePromoted } = await loadWork();
    const receipts =
      job === undefined ? [requirePromoted(home.path, id ?? '')] : listPromoted(home.path, job);
    return {
      changes: receipts.flatMap((receipt) =>
        receipt.artifacts.map(({ path = '', type }) => ({
          action: 'undo',
          resource: 'file',
          id: path,
          after: { run: receipt.run_id, was: type },
          version: receipt.receipt_hash.slice(0, 16),
        })),
      ),
    };
  },
  run: async ({ id, job }, context) => {
    const { rollbackJob, rollbackRun, openWorkContext } = await loadWork();
    const [work, by] = [openWorkContext(context), personOrAgent(context)];
    if (job === undefined) return describe(await rollbackRun(work, id ?? '', by));
    const runs = (await rollbackJob(work, job, by)).map(describe);
    const [last] = runs.toReversed();
    if (last === undefined) throw new Error('a job without promoted runs is rejected before');
    return { ...last, files: [...new Set(runs.flatMap(({ files }) => files))], runs };
  },
});

function describe({ run_id, rolled_back, receipt }: RolledBack): {
  run_id: string;
  rolled_back: string;
  receipt_id: string;
  output_hash: string;
  files: string[];
} {
  return {
    run_id,
    rolled_back,
    receipt_id: receipt.id,
    output_hash: receipt.after_hash,
    files: receipt.artifacts.flatMap(({ path }) => path ?? []),
  };
}
