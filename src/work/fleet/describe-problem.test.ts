import { expect, it } from 'vitest';
import { describeProblem } from './describe-problem.ts';

it('has no password of a remote, and is short', () => {
  const url = 'https://bot:s3cretPassw0rd@git.example.org/app.git';
  const text = describeProblem(new Error(`unable to access '${url}': ${'x'.repeat(9000)}`));
  expect(text).toContain('git.example.org/app.git');
  expect(text).not.toContain('s3cret');
  expect(text).toMatch(/^.{500}…$/u);
});
