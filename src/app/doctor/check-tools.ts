import { pass, warn, type Check, type Checker } from '../../contract/health-check.ts';
import { findProgram } from '../../system/find-program.ts';
import { findSandboxTools } from '../../work/workspace/sandbox/sandbox-tools.ts';

/** Optional programs, and what is missing without them. */
const OPTIONAL: Readonly<Record<string, string>> = {
  bwrap: 'runs use another sandbox',
  jq: 'the scripts of the triage contract do not run',
};

/** Checks which optional programs are installed. */
export const checkTools: Checker = (context) => checkToolsIn(context);

/** Like `checkTools`; `systemPath` has the folders that runs search for bwrap in addition to PATH. */
export const checkToolsIn = ({ system }: Parameters<Checker>[0], systemPath?: string): Check => {
  const found = findSandboxTools(system, 'bubblewrap', systemPath);
  const withoutBwrap = 'missing' in found && found.missing.includes('bwrap');
  const missing = Object.entries(OPTIONAL).filter(([name]) =>
    name === 'bwrap' ? withoutBwrap : findProgram(name, system.env.PATH ?? '') === undefined,
  );
  if (missing.length === 0) return pass('tools', `${Object.keys(OPTIONAL).join(' and ')} are installed.`);
  const names = missing.map(([name]) => (name === 'bwrap' ? 'bubblewrap' : name)).join(' ');
  return warn(
    'tools',
    missing.map(([name, without]) => `Without ${name} ${without}.`).join(' '),
    `Install them, for example: apt-get install ${names}`,
  );
};
