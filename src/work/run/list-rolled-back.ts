import { unlessDamaged } from '../../base/damaged.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { searchChain } from '../receipt/receipt-chain.ts';
import { chainPath } from './run-folder.ts';

/** Lists the runs that were rolled back. For views: a rollback whose receipt is damaged is left out; `receipt verify` reports it. */
export function listRolledBack(home: string): ReadonlySet<string> {
  const rollbacks = searchChain(chainPath(home), 'phase', 'rollback');
  return new Set(
    rollbacks.flatMap(({ run_id }) => unlessDamaged(() => readReceipt(home, run_id))?.rolls_back ?? []),
  );
}
