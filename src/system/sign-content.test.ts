import { expect, it } from 'vitest';
import { hmacSha256 } from '../base/digest.ts';
import { signContent } from './sign-content.ts';

it.each([0, 1, 32 * 1024 - 1, 32 * 1024, 100_000])('signs %i characters like hmacSha256', (length) => {
  const key = Buffer.alloc(32, 7);
  const content = 'ä'.repeat(length);
  expect(signContent(key, content)).toBe(hmacSha256(key, content));
});
