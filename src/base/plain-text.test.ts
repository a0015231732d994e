import { expect, it } from 'vitest';
import { plainText } from './plain-text.ts';

it.each([
  ['two\n  lines', 'two lines'],
  ['a\ttab', 'a tab'],
  ['\u001B[31mred', '\uFFFD[31mred'],
  [undefined, '-'],
])('%j is one cell of a table: %s', (value, text) => {
  expect(plainText(value)).toBe(text);
});
