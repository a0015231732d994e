import { unlessDamaged } from '../../base/damaged.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { readChainRows } from '../receipt/receipt-chain.ts';
import { chainPath } from './run-folder.ts';

/** Lists the runs that a later one rolled back. For views: a rollback whose receipt is damaged is left out, and reported elsewhere. */
export function listRolledBack(home: string): ReadonlySet<string> {
  const rollbacks = readChainRows(chainPath(home)).filter(
    (row) => 'phase' in row && row.phase === 'rollback',
  );
  return new Set(
    rollbacks.flatMap((row) =>
      'run_id' in row ? (unlessDamaged(() => readReceipt(home, row.run_id))?.rolls_back ?? []) : [],
    ),
  );
}
