import { readFileSync } from 'node:fs';
import { errorMessage } from '../../base/error-message.ts';
import type { Confinement } from '../../system/confinement/confinement.ts';
import { execConfined } from '../../system/confinement/exec-confined.ts';
import { supervise } from '../../system/confinement/supervise.ts';

/**
 * Runs a command that Landlock and seccomp confine. Arguments: `run <file> <command of this program…>` starts the supervisor, which
 * starts `exec <file>`; that process confines itself and becomes the command. The file describes the confinement.
 */
export async function runConfined([step, file = '', ...self]: readonly string[]): Promise<void> {
  try {
    if (step === 'run') process.exit(await supervise([...self, 'exec', file]));
    const confinement = JSON.parse(readFileSync(file, 'utf8')) as Confinement;
    await execConfined(confinement, { architecture: process.arch, env: process.env });
  } catch (error) {
    process.stderr.write(`${errorMessage(error)}\n`);
    process.exit(1);
  }
}
