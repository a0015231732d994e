import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';
import { homeVariable } from '../../contract/tool.ts';

/** Checks that the home folder is writable and private. */
export const checkHome: Checker = ({ home, tool }) => {
  const stats = statSync(home.path, { throwIfNoEntry: false });
  const fix = `Make it writable, or set ${homeVariable(tool)} to a writable folder.`;
  if (stats === undefined) {
    return canWrite(dirname(home.path))
      ? pass('home', `${home.path} will be created on first use.`)
      : fail('home', `${home.path} does not exist and cannot be created.`, fix);
  }
  if (!stats.isDirectory()) return fail('home', `${home.path} is not a folder.`, fix);
  if (!canWrite(home.path)) return fail('home', `${home.path} is not writable.`, fix);
  if ((stats.mode & 0o077) !== 0) {
    return warn('home', `${home.path} is accessible to other accounts.`, `chmod 700 ${home.path}`);
  }
  return pass('home', `${home.path} is private and writable.`);
};

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
