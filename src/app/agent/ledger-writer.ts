import { appendLedger, assertLedger } from '../../agent/accounting/append-ledger.ts';
import type { AccountingEntry } from '../../agent/accounting-entry.ts';
import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';

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

/** Refuses a file of `--accounting` to which nothing can be written, before requests are made whose entries would be lost. */
export function assertAccountingFile(path: string): void {
  try {
    assertLedger(path);
  } catch (error) {
    throw new Fault('E_VALIDATION', `Cannot save the accounting: ${errorMessage(error)}`, {
      hint: 'Pass the path of a file that this account can write, in a folder that exists.',
      details: { field: 'accounting', value: path },
      cause: error,
    });
  }
}
