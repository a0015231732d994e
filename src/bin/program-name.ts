import { PROGRAM_NAMES, type ProgramName } from '../system/program-names.ts';
import { PROGRAM_VARIABLE } from '../system/program-variable.ts';

/**
 * Returns the program to run: the program that the variable names, otherwise the program whose name the executable was started under,
 * otherwise deed. Deletes the variable, so that no child process inherits it.
 */
export function takeProgramName(argv0: string, env: Record<string, string | undefined>): ProgramName {
  const requested = env[PROGRAM_VARIABLE];
  delete env[PROGRAM_VARIABLE];
  const started = argv0.slice(argv0.lastIndexOf('/') + 1);
  return (
    PROGRAM_NAMES.find((name) => name === requested) ??
    PROGRAM_NAMES.find((name) => name === started) ??
    'deed'
  );
}
