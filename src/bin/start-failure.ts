import { writeSync } from 'node:fs';
import type { ProgramName } from '../system/program-names.ts';

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

interface RenderedAnswer {
  readonly descriptor: 1 | 2;
  readonly text: string;
  readonly exitCode: number;
}

export const NO_PROC: StartFailure = {
  message: '/proc is not mounted, and the executable cannot start without it.',
  hint: 'Mount it and run the command again: mount -t proc proc /proc.',
  details: { path: '/proc' },
};

/** Prints the error envelope of the program and exits with its code for a configuration error. */
export function answerStartFailure(name: ProgramName, failure: StartFailure): void {
  const { descriptor, text, exitCode } = renderStartFailure(name, failure);
  writeSync(descriptor, text);
  process.exit(exitCode);
}

export function renderStartFailure(name: ProgramName, failure: StartFailure): RenderedAnswer {
  const { document, exitCode } = ANSWERS[name](failure);
  return document === undefined
    ? { descriptor: 2, text: `${failure.message}\n${failure.hint}\n`, exitCode }
    : { descriptor: 1, text: `${JSON.stringify(document)}\n`, exitCode };
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
