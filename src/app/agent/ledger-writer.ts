import { appendLedger } from '../../agent/accounting/append-ledger.ts';
import type { AccountingEntry } from '../../agent/accounting-entry.ts';
import { errorMessage } from '../../base/error-message.ts';

/** Returns a function that appends an entry to the ledger at once, so that a killed process leaves its entries. Warns once about a failure. */
export function createLedgerWriter(
  locate: () => string,
  warn: (message: string) => void,
): (entry: AccountingEntry) => void {
  let isBroken = false;
  return (entry) => {
    if (isBroken) return;
    try {
      appendLedger(locate(), [entry]);
    } catch (error) {
      isBroken = true;
      warn(`Cannot save the accounting: ${errorMessage(error)}`);
    }
  };
}
