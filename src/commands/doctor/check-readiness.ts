import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';
import { readinessLevel } from '../../contract/readiness.ts';

/** Reports the same readiness level as `reference`. */
export const checkReadiness: Checker = ({ tool }) => {
  const level = readinessLevel(tool.evidence);
  const message = `This release is ${level}.`;
  if (level === 'stable') return pass('release_readiness', message);
  if (level === 'beta')
    return warn('release_readiness', message, 'A recorded live run of this release is required for stable.');
  return fail('release_readiness', message, 'Every public behaviour requires a test that runs it.');
};
