import * as v from 'valibot';
import { databaseOf } from '../../app/locate-store.ts';
import { defineWrite } from '../../contract/command.ts';
import { loadWork } from './load-work.ts';
import { personOrAgent } from './require-person.ts';
import { runIdParameter } from './work-schemas.ts';

export default defineWrite({
  path: 'work rollback',
  summary: 'Undo a promoted run, if its files were not changed since',
  params: { id: runIdParameter },
  positionals: ['id'],
  output: v.object({
    run_id: v.string(),
    rolled_back: v.string(),
    receipt_id: v.string(),
    output_hash: v.string(),
    files: v.array(v.string()),
    replayed: v.optional(v.literal(true)),
  }),
  examples: [
    'work rollback run_6a2x74g1q2w8d --dry-run',
    'work rollback run_6a2x74g1q2w8d --confirm <token>',
  ],
  errors: ['E_NOT_FOUND', 'E_CONFLICT', 'E_INTEGRITY', 'E_FORBIDDEN'],
  database: (_params, context) => databaseOf({}, context),
  plan: async ({ id }, { home }) => {
    const { requirePromoted } = await loadWork();
    const receipt = requirePromoted(home.path, id);
    return {
      changes: receipt.artifacts.map(({ path = '', type }) => ({
        action: 'undo',
        resource: 'file',
        id: path,
        after: { run: id, was: type },
        version: receipt.receipt_hash.slice(0, 16),
      })),
    };
  },
  run: async ({ id }, context) => {
    const { rollbackRun, openWorkContext } = await loadWork();
    const { run_id, rolled_back, receipt } = await rollbackRun(
      openWorkContext(context),
      id,
      personOrAgent(context),
    );
    return {
      run_id,
      rolled_back,
      receipt_id: receipt.id,
      output_hash: receipt.after_hash,
      files: receipt.artifacts.flatMap(({ path }) => path ?? []),
    };
  },
});
