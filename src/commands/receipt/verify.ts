import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { defineRead } from '../../contract/command.ts';
import { receiptId } from '../work/work-ids.ts';
import { findReceipt } from './find-receipt.ts';

export default defineRead({
  path: 'receipt verify',
  summary: 'Verify signatures, hashes and the chain of receipts',
  params: {
    id: receiptId(
      described(
        v.optional(v.pipe(v.string(), v.minLength(1))),
        'Verify only this run or receipt (default: all)',
      ),
    ),
  },
  positionals: ['id'],
  output: v.object({ checked: int(), valid: v.literal(true) }),
  examples: ['receipt verify', 'receipt verify run_6a2x74g1q2w8d'],
  errors: ['E_NOT_FOUND', 'E_DAMAGED'],
  run: async ({ id }, { home }) => {
    const only = id === undefined ? undefined : findReceipt(home.path, id).receipt.run_id;
    const { verifyReceipts } = await import('../../work/receipt/verify-receipts.ts');
    const { checked, problems } = verifyReceipts(home.path, only);
    const [first] = problems;
    if (first === undefined) return { checked, valid: true as const };
    throw new Fault(
      'E_DAMAGED',
      `${first.file}${first.run_id ? ` of ${first.run_id}` : ''}: ${first.problem.replace(/\.$/u, '')}.`,
      {
        hint: 'The files differ from what was signed. Restore them from a backup; do not rely on their content.',
        details: { checked, problems: problems.map((problem) => ({ ...problem })) },
      },
    );
  },
});
