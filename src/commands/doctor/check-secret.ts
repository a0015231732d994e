import { pass, type Checker } from '../../contract/doctor.ts';
import { readSecret } from '../../system/secret.ts';

/** The key of confirm tokens is whole and private; `readSecret` throws with the fix when it is not. */
export const checkSecret: Checker = ({ home }) =>
  readSecret(home.at('confirm.secret')) === undefined
    ? pass('confirm_secret', 'It will be made on the first dry run.')
    : pass('confirm_secret', 'The key for confirm tokens is whole and private.');
