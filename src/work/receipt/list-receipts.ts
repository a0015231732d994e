import { isDamaged } from '../../base/damaged.ts';
import { chainPath } from '../run/run-folder.ts';
import { readCheckedChain } from './check-receipt-files.ts';
import { readChainRows, type ChainLine } from './receipt-chain.ts';

const UNKNOWN: ChainLine = {
  run_id: '',
  receipt_id: '',
  receipt_hash: '',
  previous_receipt_hash: '',
  run_hash: '',
  status: 'damaged',
  phase: '',
  root: '',
  work_item_hash: '',
  before_hash: '',
  after_hash: '',
  timestamp_iso: '',
};

/** Lists the receipts of the chain. A damaged line does not hide the others: it is listed as a line with the status `damaged`, with a warning. */
export function listReceipts(home: string, warn: (message: string) => void): readonly ChainLine[] {
  try {
    return readCheckedChain(home);
  } catch (error) {
    const rows = isDamaged(error) ? readChainRows(chainPath(home)) : [];
    // Without any readable line there is nothing to list.
    if (!isDamaged(error) || !rows.some((row) => 'run_id' in row)) throw error;
    warn(`${error.message} ${error.hint ?? ''}`.trim());
    return rows.map((row) => ('run_id' in row ? row : UNKNOWN));
  }
}
