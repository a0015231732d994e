import { Fault } from '../base/fault.ts';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';

/** Says why a program could not be started; one that is not there is a matter of configuration. */
export function programNotStarted(error: unknown, program: string): Fault {
  if (systemCode(error) !== 'ENOENT') return faultFromSystem(error, 'start', program);
  return new Fault('E_CONFIG', `The program ${program} was not found.`, {
    hint: `Install ${program} or add its folder to PATH.`,
    details: { program, reason: 'ENOENT' },
    cause: error,
  });
}
