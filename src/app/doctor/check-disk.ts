import { statfsSync, type StatsFs } from 'node:fs';
import { dirname } from 'node:path';
import { readSettings } from '../../config/read-settings.ts';
import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';

/** Less than this and a journal, a receipt or a database may not be written. */
const LEAST_BYTES = 100 * 1024 * 1024;

/** The disk of the home has room for what one run may write. */
export const checkDisk: Checker = ({ home, tool, system }) => {
  const { bavail, bsize, files, ffree } = statfs(home.path);
  const free = bavail * bsize;
  const room = `${Math.floor(free / 1024 ** 2)} MB are free where ${home.path} lies`;
  const fix =
    'Remove what is not needed ("deed work gc" removes old runs), or set DEED_HOME to another disk.';
  if (free < LEAST_BYTES) return fail('disk', `${room}: too little to write safely.`, fix);
  if (files > 0 && ffree === 0) return fail('disk', `The disk of ${home.path} takes no more files.`, fix);
  const settings = readSettings(tool.settings, {
    homePath: home.path,
    folder: system.cwd,
    folderFile: `.${tool.name}.json`,
  });
  const wanted = Number(settings.get('work.disk_bytes').value);
  if (free < wanted)
    return warn('disk', `${room}; one run may write ${Math.floor(wanted / 1024 ** 2)} MB.`, fix);
  return pass('disk', `${room}.`);
};

/** A home that is not there yet will lie where its folder is. */
function statfs(path: string): StatsFs {
  try {
    return statfsSync(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path) throw error;
    return statfs(parent);
  }
}
