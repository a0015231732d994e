import { pass, warn, type Checker } from '../../contract/doctor.ts';

/** The platform is one that every part supports. */
export const checkRuntime: Checker = ({ world }) => {
  const here = `${world.executable.runtime} on ${world.platform} ${world.arch}`;
  if (world.platform === 'linux') return pass('runtime', `${here}.`);
  return warn(
    'runtime',
    `${here}: ending processes works on Linux only.`,
    'Use Linux for process triage; everything else works here.',
  );
};
