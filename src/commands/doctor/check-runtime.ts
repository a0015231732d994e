import { pass, warn, type Checker } from '../../contract/health-check.ts';

/** The platform is one that every part supports. */
export const checkRuntime: Checker = ({ system }) => {
  const here = `${system.executable.runtime} on ${system.platform} ${system.arch}`;
  if (system.platform === 'linux') return pass('runtime', `${here}.`);
  return warn(
    'runtime',
    `${here}: ending processes works on Linux only.`,
    'Use Linux for process triage; everything else works here.',
  );
};
