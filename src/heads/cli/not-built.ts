import { writeSync } from 'node:fs';

type Name = 'pt';

interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

/** Answers for an executable whose part is still to come, in the form its own contract gives to failures. */
export function runNotBuilt(name: Name): void {
  const message = `${name} is not part of this version yet. Run "deed changelog" to see what is.`;
  const { stdout, stderr, exit } = ANSWERS[name](message);
  if (stdout !== '') writeSync(1, stdout);
  if (stderr !== '') writeSync(2, stderr);
  process.exitCode = exit;
}

const json = (value: unknown): string => `${JSON.stringify(value)}\n`;

const ANSWERS: Readonly<Record<Name, (message: string) => Answer>> = {
  pt: (message) => ({
    stdout: json({ schema_version: '1.0.0', error: { code: 'INTERNAL_ERROR', message, recoverable: false } }),
    stderr: '',
    exit: 10,
  }),
};
