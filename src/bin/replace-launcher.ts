/**
 * Run by npm after the package was installed: puts the executable in the place of the launcher, so that a start needs no Node. Whatever
 * fails leaves the launcher, which works too, so an install never fails for it.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, linkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findPlatformExecutable } from '../system/platform-executable.ts';
import { PROGRAM_NAMES } from './program-name.ts';

const folder = join(__dirname, '../bin');
const executable = findPlatformExecutable(__filename);

if (executable !== undefined && process.platform !== 'win32') {
  const next = join(folder, '.deed.new');
  try {
    rmSync(next, { force: true });
    linkOrCopy(executable, next);
    execFileSync(next, ['--version'], { env: {}, stdio: 'ignore', timeout: 20_000 });
    renameSync(next, join(folder, 'deed'));
    for (const name of PROGRAM_NAMES.filter((program) => program !== 'deed')) {
      symlinkSync('deed', next);
      renameSync(next, join(folder, name));
    }
  } catch {
    rmSync(next, { force: true });
  }
}

/** A hard link takes no room; where the packages are on different file systems, it takes a copy. */
function linkOrCopy(from: string, to: string): void {
  chmodSync(from, 0o755);
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
