import { pass, warn, type Checker } from '../../contract/health-check.ts';
import { findProgram } from '../../system/find-program.ts';

/** Programs without which something is missing, and what that is. */
const OPTIONAL: Readonly<Record<string, string>> = {
  bwrap: 'runs have no sandbox',
  jq: 'the scripts of the triage contract do not run',
};

/** Programs of others that parts use where they are there. */
export const checkTools: Checker = ({ system }) => {
  const missing = Object.entries(OPTIONAL).filter(
    ([name]) => findProgram(name, system.env.PATH ?? '') === undefined,
  );
  if (missing.length === 0) return pass('tools', `${Object.keys(OPTIONAL).join(' and ')} are there.`);
  const names = missing.map(([name]) => (name === 'bwrap' ? 'bubblewrap' : name)).join(' ');
  return warn(
    'tools',
    missing.map(([name, without]) => `Without ${name} ${without}.`).join(' '),
    `Install them, for example: apt-get install ${names}`,
  );
};
