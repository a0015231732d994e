import * as v from 'valibot';
import { defineRead } from '../../contract/command.ts';
import { loadWork } from './load-work.ts';
import { runIdParameter } from './work-schemas.ts';

export default defineRead({
  path: 'work replay',
  summary: 'Re-run a successful run in a scratch copy and compare hashes',
  description:
    'Grades: exact (the re-run gave the same state), apply (only the recorded changes were applied and give the recorded hash), none. ' +
    'Raw output is the hash and the grade.',
  params: { id: runIdParameter },
  positionals: ['id'],
  output: v.object({
    run_id: v.string(),
    grade: v.picklist(['exact', 'apply', 'none']),
    expected_hash: v.string(),
    actual_hash: v.string(),
    matches: v.boolean(),
    reason: v.nullable(v.string()),
    divergence: v.nullable(v.string()),
  }),
  examples: ['work replay run_6a2x74g1q2w8d', 'work replay --id run_6a2x74g1q2w8d --format raw'],
  errors: ['E_NOT_FOUND', 'E_CONFLICT', 'E_DAMAGED'],
  run: async ({ id }, context) => {
    const { replayRun, openWorkContext } = await loadWork();
    return replayRun(openWorkContext(context), id);
  },
  renderRaw: ({ actual_hash, grade }) => `${actual_hash} ${grade}\n`,
});
