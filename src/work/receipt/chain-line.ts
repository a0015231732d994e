import type { ChainLine } from './receipt-chain.ts';
import type { Receipt } from './receipt.ts';

/** The line of a receipt in the chain. */
export function chainLineOf(receipt: Receipt): ChainLine {
  return {
    run_id: receipt.run_id,
    receipt_id: receipt.id,
    receipt_hash: receipt.receipt_hash,
    previous_receipt_hash: receipt.previous_receipt_hash,
    run_hash: receipt.run_hash,
    status: receipt.status,
    phase: receipt.phase,
    root: receipt.root,
    work_item_hash: receipt.work_item_hash,
    before_hash: receipt.before_hash,
    after_hash: receipt.after_hash,
    timestamp_iso: receipt.timestamp_iso,
  };
}
