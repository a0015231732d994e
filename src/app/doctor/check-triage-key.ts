import { join } from 'node:path';
import { pass, type Checker } from '../../contract/health-check.ts';
import { checkSealKey } from '../../triage/session/session-store.ts';

/** Checks that the key of triage sessions is valid and opens the newest session; otherwise throws with a fix. */
export const checkTriageKey: Checker = ({ system }) => {
  const root = join(system.userHome, '.local/share/process_triage');
  return checkSealKey(root, system.clock.now) === undefined
    ? pass('triage_key', 'The key will be created by the first triage session.')
    : pass('triage_key', 'The key of triage sessions is intact.');
};
