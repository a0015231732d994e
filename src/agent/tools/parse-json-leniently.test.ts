import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseContainerLeniently, parseObjectLeniently } from './parse-json-leniently.ts';

describe('lenient JSON', () => {
  it.each<[string, string, unknown, readonly string[]]>([
    ['sound JSON', '{"a":1}', { a: 1 }, []],
    ['single quotes and a trailing comma', "{'a': 1,}", { a: 1 }, ['jsonrepair']],
    ['a missing brace', '{"a": {"b": 1', { a: { b: 1 } }, ['jsonrepair']],
    ['words around a fence', 'Here you go:\n```json\n{"a": 1}\n```\nDone.', { a: 1 }, ['fence-strip']],
    ['words around an object', 'I call it with {"a": "}"} now', { a: '}' }, ['first-object']],
  ])('reads %s', (_name, text, value, steps) => {
    expect(parseObjectLeniently(text)).toEqual({ value, steps });
  });

  it.each(['', 'no json', '5', '"text"', '[1,2]', 'null'])(
    'gives nothing for %j when an object is wanted',
    (text) => {
      expect(parseObjectLeniently(text)).toBeUndefined();
    },
  );

  it('refuses what is nested without end, sound or broken', { timeout: 30_000 }, () => {
    const deep = `${'{"a":'.repeat(50_000)}1`;
    expect(parseObjectLeniently(deep + '}'.repeat(50_000))).toBeUndefined();
    expect(parseObjectLeniently(deep)).toBeUndefined();
  });

  it('makes no JSON of prose', () => {
    for (const text of ['# Done\nAll good.', 'one, two', 'Sorry, {x} failed.', '- a\n- b', 'key: value']) {
      expect(parseContainerLeniently(text)).toBeUndefined();
    }
  });

  it('reads lists where they are allowed', () => {
    expect(parseContainerLeniently('[1, 2')).toEqual({ value: [1, 2], steps: ['jsonrepair'] });
  });

  it('never throws, and leaves sound JSON alone', { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseObjectLeniently(text);
        parseContainerLeniently(text);
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        expect(parseObjectLeniently(text)).toEqual({ value: JSON.parse(text), steps: [] });
      }),
    );
  });
});
