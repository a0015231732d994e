/** Selects the program to run: npm packages cannot contain links. Set by the launcher and the scripts next to the executable. */
export const PROGRAM_VARIABLE = 'DEED_RUN_AS';

export const PROGRAM_NAMES = ['deed', 'vybe', 'pt', 'ai-agent'] as const;

export type ProgramName = (typeof PROGRAM_NAMES)[number];

/**
 * Determines which program was started: the one in the variable, else the one the executable is named after, else deed. Removes the
 * variable, so that no child process inherits it.
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
