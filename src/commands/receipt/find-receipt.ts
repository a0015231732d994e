import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { readChain } from '../../work/receipt/receipt-chain.ts';
import type { Receipt } from '../../work/receipt/receipt.ts';
import { chainPath, runFolder } from '../../work/run/run-folder.ts';
import { readDocument } from '../../work/run/json-document.ts';

/** Finds a receipt by its run id or its own id. */
export function findReceipt(
  home: string,
  id: string,
): { readonly receipt: Receipt; readonly folder: string } {
  const line = readChain(chainPath(home)).find(
    ({ run_id, receipt_id }) => run_id === id || receipt_id === id,
  );
  const folder = line === undefined ? '' : runFolder(home, line.run_id);
  const receipt = line === undefined ? undefined : readDocument<Receipt>(join(folder, 'RECEIPT.json'));
  if (receipt !== undefined) return { receipt, folder };
  throw new Fault('E_NOT_FOUND', `Unknown receipt: "${id}".`, {
    hint: '"deed receipt list" shows all receipts.',
    details: { field: 'id', id },
  });
}
