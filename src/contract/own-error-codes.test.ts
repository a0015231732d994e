import { expect, test } from 'vitest';
import { codeRow } from './exit-code.ts';
import { defineErrorCodes } from './own-error-codes.ts';

test('a declared code has its own row', () => {
  const codes = defineErrorCodes({ E_TEST_QUOTA: { exit: 7, retryable: true } });
  expect(codes).toEqual({ E_TEST_QUOTA: 'E_TEST_QUOTA' });
  expect(codeRow('E_TEST_QUOTA')).toEqual({ exit: 7, retryable: true });
  expect(codeRow('E_TEST_UNDECLARED')).toEqual(codeRow('E_UNKNOWN'));
});

test.each([
  ['a code of the contract', { E_IO: { exit: 1, retryable: false } }, 'a code of the contract already'],
  ['exit 9', { E_TEST_NINE: { exit: 9, retryable: false } }, 'only for codes that need a person'],
  ['an unknown exit', { E_TEST_EXIT: { exit: 77, retryable: false } }, 'unknown exit 77'],
  ['small letters', { E_test: { exit: 1, retryable: false } }, 'capital letters'],
])('%s cannot be declared', (_what, rows, problem) => {
  expect(() => defineErrorCodes(rows as never)).toThrow(problem);
});
