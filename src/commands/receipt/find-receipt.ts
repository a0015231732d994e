import { Fault } from '../../base/fault.ts';
import { readChain } from '../../work/receipt/receipt-chain.ts';
import { readReceipt } from '../../work/receipt/read-receipt.ts';
import type { Receipt } from '../../work/receipt/receipt.ts';
import { chainPath, isId, runFolder } from '../../work/run/run-folder.ts';

/** Finds a receipt by its run id or its own id. */
export function findReceipt(
  home: string,
  id: string,
): { readonly receipt: Receipt; readonly folder: string } {
  // A run id needs no chain, which may be damaged.
  const line = isId('run', id)
    ? { run_id: id }
    : readChain(chainPath(home)).find(({ receipt_id }) => receipt_id === id);
  const receipt = line && readReceipt(home, line.run_id);
  if (receipt !== undefined) return { receipt, folder: runFolder(home, receipt.run_id) };
  throw new Fault('E_NOT_FOUND', `Unknown receipt: "${id}".`, {
    hint: '"deed receipt list" shows all receipts.',
    details: { field: 'id', id },
  });
}
