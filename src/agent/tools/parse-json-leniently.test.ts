import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseContainerLeniently, parseObjectLeniently } from './parse-json-leniently.ts';

describe('lenient JSON', () => {
  it.each<[string, string, unknown, readonly string[]]>([
    ['valid JSON', '{"a":1}', { a: 1 }, []],
    ['single quotes and a trailing comma', "{'a': 1,}", { a: 1 }, ['jsonrepair']],
    ['a missing brace', '{"a": {"b": 1', { a: { b: 1 } }, ['jsonrepair']],
    ['words around a fence', 'Here you go:\n```json\n{"a": 1}\n```\nDone.', { a: 1 }, ['fence-strip']],
    ['words around an object', 'I call it with {"a": "}"} now', { a: '}' }, ['first-object']],
  ])('parses %s', (_name, text, value, steps) => {
    expect(parseObjectLeniently(text)).toEqual({ value, steps });
  });

  it.each(['', 'no json', '5', '"text"', '[1,2]', 'null'])(
    'returns undefined for %j when an object is required',
    (text) => {
      expect(parseObjectLeniently(text)).toBeUndefined();
    },
  );

  it('rejects deeply nested values, valid or malformed', { timeout: 30_000 }, () => {
    const deep = `${'{"a":'.repeat(50_000)}1`;
    expect(parseObjectLeniently(deep + '}'.repeat(50_000))).toBeUndefined();
    expect(parseObjectLeniently(deep)).toBeUndefined();
  });

  it('does not parse prose', () => {
    for (const text of ['# Done\nAll good.', 'one, two', 'Sorry, {x} failed.', '- a\n- b', 'key: value']) {
      expect(parseContainerLeniently(text)).toBeUndefined();
    }
  });

  it('parses arrays where they are allowed', () => {
    expect(parseContainerLeniently('[1, 2')).toEqual({ value: [1, 2], steps: ['jsonrepair'] });
  });

  it('never throws, and does not change valid JSON', { timeout: 30_000 }, () => {
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
