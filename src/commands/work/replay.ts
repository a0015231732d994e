import * as z from '../../base/schema/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { loadWork } from './load-work.ts';
import { runIdParameter } from './work-schemas.ts';

export default defineRead({
  path: 'work replay',
  summary: 'Do a successful run over again in a throwaway folder and compare the outcome',
  description:
    'Grades: exact (done again, same state), apply (the recorded change gives the recorded hash: the record is whole), none. ' +
    'Raw output is the hash and the grade.',
  params: { id: runIdParameter },
  positionals: ['id'],
  output: z.object({
    run_id: z.string(),
    grade: z.enum(['exact', 'apply', 'none']),
    expected_hash: z.string(),
    actual_hash: z.string(),
    matches: z.boolean(),
    reason: z.nullable(z.string()),
    divergence: z.nullable(z.string()),
  }),
  examples: [
    'work replay run_0123456789ab0123456789ab',
    'work replay --id run_0123456789ab0123456789ab --format raw',
  ],
  errors: ['E_NOT_FOUND', 'E_CONFLICT', 'E_INTEGRITY'],
  run: async ({ id }, context) => {
    const { replayRun, openWorkContext } = await loadWork();
    return replayRun(openWorkContext(context), id);
  },
  renderRaw: ({ actual_hash, grade }) => `${actual_hash} ${grade}\n`,
});
