import { unlessDamaged } from '../../base/damaged.ts';
import type { FleetState } from '../../work/plan/fleet-states.ts';
import { readDeliveredReceipt } from '../../work/receipt/read-receipt.ts';
import type { Receipt } from '../../work/receipt/receipt.ts';

/**
 * Reads the receipt that a run on another host delivered; undefined if it delivered none, or if this home is not in a clone and has no copy.
 * The copy is only used to show times and tests, and the receipt in the ledger is authoritative, so a damaged copy is treated as missing.
 */
export function deliveredReceipt(state: FleetState | undefined): Receipt | undefined {
  const path = state?.result?.receipt_path ?? '';
  const runId = state?.runId;
  if (path === '' || runId === undefined) return undefined;
  return unlessDamaged(() => readDeliveredReceipt(path, runId));
}
