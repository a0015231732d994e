import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';
import { readinessLevel } from '../../contract/readiness.ts';

/** The name of the check that the contract requires. */
export const READINESS = 'release_readiness';

/** Reports the same readiness level as `reference`. */
export const checkReadiness: Checker = ({ tool }) => {
  const level = readinessLevel(tool.evidence);
  const message = `This release is ${level}.`;
  if (level === 'stable') return pass(READINESS, message);
  if (level === 'beta')
    return warn(
      READINESS,
      `${message} Every behaviour is tested, but not yet with live model services.`,
      `Nothing is broken. See what may still change: ${tool.name} changelog`,
    );
  return fail(
    READINESS,
    `${message} Some of its behaviour was never tested.`,
    `Use a published version of ${tool.name} instead.`,
  );
};
