import { writeSync } from 'node:fs';
import type { ProgramName } from './program-name.ts';

/** Why the executable could not be started, and how to fix it. */
export interface StartFailure {
  readonly message: string;
  readonly hint: string;
  readonly details: Readonly<Record<string, string>>;
}

interface Answer {
  /** Undefined for ai-agent, whose standard output contains only its report. */
  readonly document?: object;
  readonly exitCode: number;
}

/** Prints the error envelope of the program and exits with its code for a configuration error. */
export function answerStartFailure(name: ProgramName, failure: StartFailure): void {
  const { document, exitCode } = ANSWERS[name](failure);
  if (document === undefined) writeSync(2, `${failure.message}\n${failure.hint}\n`);
  else writeSync(1, `${JSON.stringify(document)}\n`);
  process.exit(exitCode);
}

const ANSWERS: Readonly<Record<ProgramName, (failure: StartFailure) => Answer>> = {
  deed: ({ message, hint, details }) => ({
    document: {
      ok: false,
      schema_version: '1.0',
      error: {
        code: 'E_CONFIG',
        message: `${message} ${hint}`,
        details: { ...details, hint },
        retryable: false,
      },
      meta: { duration_ms: 0 },
    },
    exitCode: 4,
  }),
  vybe: ({ message, hint }) => ({
    document: { schema_version: 'v1', success: false, error: `${message} ${hint}`, error_code: 'E_CONFIG' },
    exitCode: 1,
  }),
  pt: ({ message, hint }) => ({
    document: {
      schema_version: '1.0.0',
      error: { code: 'INTERNAL_ERROR', message: `${message} ${hint}`, recoverable: false },
    },
    exitCode: 10,
  }),
  'ai-agent': () => ({ exitCode: 4 }),
};
