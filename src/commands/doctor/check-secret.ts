import { pass, type Checker } from '../../contract/health-check.ts';
import { hasConfirmKey } from '../../contract/write-gate.ts';

/** Checks that the key of confirm tokens is valid and private; otherwise `hasConfirmKey` throws with a fix. */
export const checkSecret: Checker = ({ home }) =>
  hasConfirmKey(home)
    ? pass('confirm_secret', 'The key of confirm tokens is valid and private.')
    : pass('confirm_secret', 'The key will be created by the first dry run.');
