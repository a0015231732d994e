import { expect, it } from 'vitest';
import { findInexactNumber } from './find-inexact-number.ts';

it.each([
  ['{"id":1234567890123456789}', '1234567890123456789'],
  ['[1,[{"a":9007199254740993}]]', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['{"a":1e400}', '1e400'],
  ['{"a":-1E+999}', '-1E+999'],
])('%s has a number that cannot be kept', (json, found) => {
  expect(findInexactNumber(json)).toBe(found);
});

it.each([
  '{"id":"1234567890123456789"}',
  '{"1234567890123456789":1}',
  '[9007199254740991,-9007199254740991,9007199254740992,0,-0,1.5e3,1e300]',
  '{"a":0.1234567890123456789}',
  '"1e400"',
])('%s has no such number', (json) => {
  expect(findInexactNumber(json)).toBeUndefined();
});
