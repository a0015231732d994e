import { expect, it } from 'vitest';
import { contentTypeOf } from './content-type.ts';

it.each([
  ['notes.MD', 'text/markdown'],
  ['archive', 'application/octet-stream'],
  ['data.constructor', 'application/octet-stream'],
])('the content type of %s is %s', (path, type) => {
  expect(contentTypeOf(path)).toBe(type);
});
