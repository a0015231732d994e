import { Fault } from '../base/fault.ts';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';

/** The fault for a program that could not be started; a missing program is a configuration error. */
export function programNotStarted(error: unknown, program: string): Fault {
  if (systemCode(error) !== 'ENOENT') return faultFromSystem(error, 'start', program);
  return new Fault('E_CONFIG', `The program ${program} was not found.`, {
    hint: `Install ${program} or add its folder to PATH.`,
    details: { program, reason: 'ENOENT' },
    cause: error,
  });
}
