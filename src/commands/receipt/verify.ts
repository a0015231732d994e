import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { defineRead } from '../../contract/command.ts';
import { findReceipt } from './find-receipt.ts';

export default defineRead({
  path: 'receipt verify',
  summary: 'Check signatures, hashes and the chain; a changed byte anywhere is found and named',
  params: {
    id: described(v.optional(v.pipe(v.string(), v.minLength(1))), 'Only this run or receipt (default: all)'),
  },
  positionals: ['id'],
  output: v.object({ checked: int(), valid: v.literal(true) }),
  examples: ['receipt verify', 'receipt verify run_0123456789ab0123456789ab'],
  errors: ['E_NOT_FOUND', 'E_INTEGRITY'],
  run: async ({ id }, { home }) => {
    const only = id === undefined ? undefined : findReceipt(home.path, id).receipt.run_id;
    const { verifyReceipts } = await import('../../work/receipt/verify-receipts.ts');
    const { checked, problems } = verifyReceipts(home.path, only);
    const [first] = problems;
    if (first === undefined) return { checked, valid: true as const };
    throw new Fault(
      'E_INTEGRITY',
      `${first.file}${first.run_id ? ` of ${first.run_id}` : ''}: ${first.problem.replace(/\.$/u, '')}.`,
      {
        hint: 'Something changed what was signed. Restore it from a backup; do not trust what it says.',
        details: { checked, problems: problems.map((problem) => ({ ...problem })) },
      },
    );
  },
});
