/** Names the program to run where a link cannot: npm packages hold no links. Set by the launcher and the scripts beside the executable. */
export const PROGRAM_VARIABLE = 'DEED_RUN_AS';

export const PROGRAM_NAMES = ['deed', 'vybe', 'pt', 'ai-agent'] as const;

export type ProgramName = (typeof PROGRAM_NAMES)[number];

/**
 * Decides which program was started: the one that the variable names, else the one whose name the executable was started under, else
 * deed. Removes the variable, so that no child process inherits it.
 */
export function takeProgramName(argv0: string, env: Record<string, string | undefined>): ProgramName {
  const asked = env[PROGRAM_VARIABLE];
  delete env[PROGRAM_VARIABLE];
  const started = argv0.slice(argv0.lastIndexOf('/') + 1);
  return (
    PROGRAM_NAMES.find((name) => name === asked) ?? PROGRAM_NAMES.find((name) => name === started) ?? 'deed'
  );
}
