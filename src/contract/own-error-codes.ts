import { ERROR_CODES, EXIT_CODES } from './generated.ts';

/** The exit code of an error, and whether the same call may succeed later. */
export interface ErrorCodeRow {
  readonly exit: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
  readonly retryable: boolean;
}

/** A code that `defineErrorCodes` has declared. The compiler accepts no other text in its place. */
export type OwnErrorCode = string & { readonly declaredBy: 'defineErrorCodes' };

/** Only such codes may have exit code 9, which means that a person must act. */
const FOR_PERSONS = /^E_(?:HUMAN|2FA)_REQUIRED$/u;

const declared = new Map<string, ErrorCodeRow>();

/**
 * Declares the error codes of your program, by name: `const codes = defineErrorCodes({ E_QUOTA: { exit: 7, retryable: true } })`, then
 * `new Fault(codes.E_QUOTA, …)`. They are part of `reference`.
 */
export function defineErrorCodes<const T extends Readonly<Record<`E_${string}`, ErrorCodeRow>>>(
  rows: T,
): { readonly [K in keyof T]: OwnErrorCode } {
  for (const [code, row] of Object.entries<ErrorCodeRow>(rows)) {
    const problem = problemOf(code, row);
    if (problem !== undefined) throw new Error(`The error code ${code} ${problem}.`);
    declared.set(code, row);
  }
  return Object.fromEntries(Object.keys(rows).map((code) => [code, code])) as never;
}

/** The codes that were declared in this process. */
export function ownErrorCodes(): ReadonlyMap<string, ErrorCodeRow> {
  return declared;
}

function problemOf(code: string, { exit, retryable }: ErrorCodeRow): string | undefined {
  if (!/^E_[A-Z0-9_]+$/u.test(code)) return 'is not E_ and capital letters';
  if (Object.hasOwn(ERROR_CODES, code)) return 'is a code of the contract already';
  if (exit === 9 && !FOR_PERSONS.test(code)) return 'has exit 9, which is only for codes that need a person';
  if (!Object.hasOwn(EXIT_CODES, String(exit)) || (exit as number) === 0)
    return `has the unknown exit ${exit}`;
  if (typeof retryable !== 'boolean') return 'does not say whether it is retryable';
  return undefined;
}
