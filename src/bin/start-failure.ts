import { writeSync } from 'node:fs';
import type { ProgramName } from './program-name.ts';

/** Why the executable could not be started, and what to do. */
export interface StartFailure {
  readonly message: string;
  readonly hint: string;
  readonly details: Readonly<Record<string, string>>;
}

interface Answer {
  /** Undefined for a program whose standard output is only for its report. */
  readonly document?: object;
  readonly exitCode: number;
}

/** Answers in the format and with the exit code that each program has for a configuration error, and exits. */
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
