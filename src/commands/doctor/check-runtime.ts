import { pass, warn, type Checker } from '../../contract/health-check.ts';

/** Checks that this platform supports all features. */
export const checkRuntime: Checker = ({ system }) => {
  const here = `${system.executable.runtime} on ${system.platform} ${system.arch}`;
  if (system.platform === 'linux') return pass('runtime', `${here}.`);
  return warn(
    'runtime',
    `${here}: triage is available on Linux only.`,
    'Use Linux for triage; everything else works on this platform.',
  );
};
