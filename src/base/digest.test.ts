import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { equalInConstantTime, hmacSha256, sha256 } from './digest.ts';

test('SHA-256 of strings and bytes matches node:crypto', () => {
  const content = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.uint8Array({ maxLength: 300 }));
  fc.assert(
    fc.property(content, (value) => {
      expect(sha256(value)).toBe(createHash('sha256').update(value).digest('hex'));
    }),
  );
});

test('HMAC-SHA-256 matches node:crypto for keys of any length', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 300 }),
      (key, text) => {
        expect(hmacSha256(key, text)).toBe(createHmac('sha256', key).update(text).digest('hex'));
      },
    ),
  );
});

test('the constant-time comparison agrees with ===', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (left, right) => {
      expect(equalInConstantTime(left, right)).toBe(left === right);
      expect(equalInConstantTime(left, left)).toBe(true);
    }),
  );
});

test('strings that differ in one character are not equal', () => {
  const text = sha256('');
  for (let index = 0; index < text.length; index += 1) {
    expect(equalInConstantTime(text, `${text.slice(0, index)}x${text.slice(index + 1)}`)).toBe(false);
  }
});
