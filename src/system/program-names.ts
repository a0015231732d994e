/** The names under which the executable runs as one of its programs. */
export const PROGRAM_NAMES = ['deed', 'vybe', 'pt', 'ai-agent'] as const;

export type ProgramName = (typeof PROGRAM_NAMES)[number];
