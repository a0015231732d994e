import { pass, type Checker } from '../../contract/health-check.ts';
import { hasConfirmKey } from '../../contract/write-gate.ts';

/** The key of confirm tokens is whole and private; `hasConfirmKey` throws with the fix when it is not. */
export const checkSecret: Checker = ({ home }) =>
  hasConfirmKey(home)
    ? pass('confirm_secret', 'The key for confirm tokens is whole and private.')
    : pass('confirm_secret', 'It will be made on the first dry run.');
