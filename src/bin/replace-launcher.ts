/**
 * The install script of the npm package: replaces the launcher with the executable, so that a start does not need Node. If a step fails,
 * the launcher remains, which works too, and the install succeeds.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, linkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findPlatformExecutable } from '../system/platform-executable.ts';
import { PROGRAM_NAMES } from '../system/program-names.ts';

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

/** A hard link needs no disk space; on different file systems a copy is needed. */
function linkOrCopy(from: string, to: string): void {
  chmodSync(from, 0o755);
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
