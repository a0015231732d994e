import { pass, warn, type Checker } from '../../contract/health-check.ts';

/** Checks that this platform supports all features. */
export const checkRuntime: Checker = ({ system }) => {
  const here = `${system.executable.runtime} on ${system.platform} ${system.arch}`;
  if (system.platform === 'linux') return pass('runtime', `${here}.`);
  return warn(
    'runtime',
    `${here}: triage and sandboxed work runs need Linux.`,
    'Use Linux for them. "work run --allow-unsandboxed" runs commands on a copy of the tree, without a sandbox.',
  );
};
