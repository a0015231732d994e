import { existsSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';

/** The fault for a program that could not be started in a folder; a missing program or folder is a configuration error. */
export function programNotStarted(error: unknown, program: string, cwd: string): Fault {
  if (systemCode(error) !== 'ENOENT') return faultFromSystem(error, 'start', program);
  // The system has the same error for both.
  if (!existsSync(cwd)) {
    return new Fault('E_CONFIG', `The folder ${cwd}, in which ${program} runs, does not exist.`, {
      hint: 'Create the folder, or change the setting that names it.',
      details: { program, cwd, reason: 'ENOENT' },
      cause: error,
    });
  }
  return new Fault('E_CONFIG', `The program ${program} was not found.`, {
    hint: `Install ${program} or add its folder to PATH.`,
    details: { program, reason: 'ENOENT' },
    cause: error,
  });
}
