import { EXIT_CODES } from '../contract/generated.ts';
import type { ProgramChecker, DescribedProgramCommand } from './program-checker.ts';
import type { DeclaredCodes } from './check-envelope.ts';

/** What every program reports about itself, by command. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  context: ['version', 'credentials', 'notices'],
  doctor: ['checks'],
  changelog: ['current_version', 'entries'],
};
const REFERENCE = [
  'tool',
  'version',
  'risk_tier',
  'release_readiness',
  'commands',
  'schemas',
  'exit_codes',
  'error_codes',
];

interface Reference {
  readonly commands?: readonly DescribedProgramCommand[];
  readonly schemas?: Readonly<Record<string, { readonly fields?: readonly string[] }>>;
  readonly error_codes?: DeclaredCodes;
}

/** Checks that a program describes itself, and each of its commands completely. */
export function checkReference(reference: Reference | undefined, checker: ProgramChecker): void {
  const members = new Set(Object.keys(reference ?? {}));
  const missing = REFERENCE.filter((name) => !members.has(name));
  checker.expect('describes itself', ['reference'], missing.length === 0, `missing: ${missing.join(', ')}`);
  for (const [path, names] of Object.entries(REQUIRED)) {
    const data = (checker.expectSuccess('describes itself', [path])?.data ?? {}) as object;
    const absent = names.filter((name) => !Object.hasOwn(data, name));
    checker.expect('describes itself', [path], absent.length === 0, `missing: ${absent.join(', ')}`);
  }
  for (const { path, output_schema: label, examples, errors } of reference?.commands ?? []) {
    const hasFields = (reference?.schemas?.[label]?.fields ?? []).length > 0;
    checker.expect('declares its output', [path], hasFields, `schemas.${label} has no fields`);
    checker.expect('has an example', [path], examples.length > 0, 'examples is empty');
    const unknown = errors.filter((code) => reference?.error_codes?.[code] === undefined);
    checker.expect('declares its error codes', [path], unknown.length === 0, unknown.join(', '));
  }
  for (const [code, { exit }] of Object.entries(reference?.error_codes ?? {})) {
    const isValid = /^E_[A-Z0-9_]+$/u.test(code) && Object.hasOwn(EXIT_CODES, String(exit));
    checker.expect('has valid error codes', ['reference'], isValid, `${code} with exit ${exit}`);
  }
}
