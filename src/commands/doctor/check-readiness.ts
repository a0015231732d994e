import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';
import { readinessLevel } from '../../contract/readiness.ts';

/** The same release level that `reference` reports. */
export const checkReadiness: Checker = ({ tool }) => {
  const level = readinessLevel(tool.evidence);
  const message = `This release is ${level}.`;
  if (level === 'stable') return pass('release_readiness', message);
  if (level === 'beta')
    return warn('release_readiness', message, 'Record a live run of this release before calling it stable.');
  return fail('release_readiness', message, 'Cover every public behaviour with a test that runs it.');
};
