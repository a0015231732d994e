import { statfsSync, type StatsFs } from 'node:fs';
import { dirname } from 'node:path';
import { settingsOf } from '../../config/settings-of.ts';
import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';

/** Below this, writing a journal, a receipt or the database may fail. */
const MIN_FREE_BYTES = 100 * 1024 * 1024;

/** Checks that the disk of the home folder has enough space for one run. */
export const checkDisk: Checker = ({ home, tool, system }) => {
  const { bavail, bsize, files, ffree } = statfs(home.path);
  const free = bavail * bsize;
  const room = `${Math.floor(free / 1024 ** 2)} MB are free on the disk of ${home.path}`;
  const fix =
    'Free some disk space ("deed gc" removes old data), or set DEED_HOME to a folder on another disk.';
  if (free < MIN_FREE_BYTES) return fail('disk', `${room}: too little for safe writes.`, fix);
  if (files > 0 && ffree === 0) return fail('disk', `The disk of ${home.path} has no free inodes.`, fix);
  const settings = settingsOf({ tool, home, system });
  const required = Number(settings.get('work.disk_bytes').value);
  if (free < required)
    return warn('disk', `${room}; one run may write ${Math.floor(required / 1024 ** 2)} MB.`, fix);
  return pass('disk', `${room}.`);
};

/** If the path does not exist, uses the nearest parent that does. */
function statfs(path: string): StatsFs {
  try {
    return statfsSync(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path) throw error;
    return statfs(parent);
  }
}
