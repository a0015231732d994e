import fc from 'fast-check';
import { expect, test } from 'vitest';
import { equalInConstantTime, hmacSha256, sha256 } from './digest.ts';

// Of FIPS 180-2 and RFC 4231.
test('SHA-256 of text and of its bytes is the published one', () => {
  const expected = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect([sha256('abc'), sha256(Buffer.from('abc'))]).toEqual([expected, expected]);
});

test('HMAC-SHA-256 is the published one, for short keys and for keys longer than a block', () => {
  expect(hmacSha256(Buffer.alloc(20, 0x0b), 'Hi There')).toBe(
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  );
  expect(hmacSha256(Buffer.alloc(131, 0xaa), 'Test Using Larger Than Block-Size Key - Hash Key First')).toBe(
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
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
