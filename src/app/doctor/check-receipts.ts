import { existsSync } from 'node:fs';
import { pass, type Checker } from '../../contract/health-check.ts';
import { checkReceiptFiles, readCheckedChain } from '../../work/receipt/check-receipt-files.ts';
import { checkMarkKey } from '../../work/run/run-mark.ts';

/** Checks that the keys of runs can be used, that the private and public key for receipts belong together, and that the chain of receipts matches its signed head; otherwise throws with a fix. */
export const checkReceipts: Checker = ({ home }) => {
  checkReceiptFiles(home.path);
  readCheckedChain(home.path);
  checkMarkKey(home.path);
  return existsSync(home.at('keys'))
    ? pass('receipts', 'The signing key and the chain of receipts are intact.')
    : pass('receipts', 'The signing key will be created by the first run.');
};
