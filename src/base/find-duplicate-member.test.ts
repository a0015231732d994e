import { expect, it } from 'vitest';
import { findDuplicateMember } from './find-duplicate-member.ts';

it.each([
  ['{"title":"x","title":"y"}', 'title'],
  [String.raw`{"a":"{\"b\":","b":[],"\u0061":1}`, 'a'],
  [' {"a" : [{"b":1}] , "c":{} , "a": null}', 'a'],
])('%s has a member twice', (json, found) => {
  expect(findDuplicateMember(json)).toBe(found);
});

it.each(['{}', '{"a":{"b":1},"b":[{"b":2},{"b":"a"}]}', '{"a":"a","b":"a"}', String.raw`{"a\"":1,"a":"\\"}`])(
  '%s has no member twice',
  (json) => {
    expect(findDuplicateMember(json)).toBeUndefined();
  },
);
