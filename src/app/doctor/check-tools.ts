import { pass, warn, type Checker } from '../../contract/health-check.ts';
import { findProgram } from '../../system/find-program.ts';

/** Optional programs, and what is missing without them. */
const OPTIONAL: Readonly<Record<string, string>> = {
  bwrap: 'runs use another sandbox',
  jq: 'the scripts of the triage contract do not run',
};

/** Checks which optional programs are installed. */
export const checkTools: Checker = ({ system }) => {
  const missing = Object.entries(OPTIONAL).filter(
    ([name]) => findProgram(name, system.env.PATH ?? '') === undefined,
  );
  if (missing.length === 0) return pass('tools', `${Object.keys(OPTIONAL).join(' and ')} are installed.`);
  const names = missing.map(([name]) => (name === 'bwrap' ? 'bubblewrap' : name)).join(' ');
  return warn(
    'tools',
    missing.map(([name, without]) => `Without ${name} ${without}.`).join(' '),
    `Install them, for example: apt-get install ${names}`,
  );
};
