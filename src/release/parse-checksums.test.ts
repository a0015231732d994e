import { expect, test } from 'vitest';
import { parseChecksums } from './parse-checksums.ts';

test('hashes are found by exact file name, in both modes of sha256sum', () => {
  const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
  expect(parseChecksums(`${a}  one.tar.gz\n${b} *two.tar.gz\r\n`)).toEqual(
    new Map([
      ['one.tar.gz', a],
      ['two.tar.gz', b],
    ]),
  );
});

test('other lines are ignored', () => {
  const hash = 'a'.repeat(64);
  for (const line of [
    hash,
    `${hash} one`,
    `${'A'.repeat(64)}  one`,
    `${hash}  one two`,
    `${'a'.repeat(63)}  one`,
    '',
  ]) {
    expect(parseChecksums(line).size, line).toBe(0);
  }
});
