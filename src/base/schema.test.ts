import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { check, unknownMembers } from './describe-problem.ts';
import { described, int, number, record, strictObject } from './schema.ts';

const withPrototype: unknown = JSON.parse('{"__proto__": {"a": 1}, "b": 2}');

function problemsOf(schema: v.GenericSchema, value: unknown): [string | null, string][] {
  const { issues = [] } = check(schema, value);
  return issues.map((issue) => [v.getDotPath(issue), issue.message]);
}

describe('a strict object', () => {
  const schema = strictObject({
    key: v.string(),
    kind: v.picklist(['a', 'b']),
    value: v.unknown(),
    more: v.optional(v.string()),
    list: v.optional(v.array(v.string()), () => []),
  });

  it('leaves absent members absent, keeps undefined ones and fills in defaults', () => {
    expect(v.parse(schema, { key: 'x', kind: 'a', value: 1 })).toStrictEqual({
      key: 'x',
      kind: 'a',
      value: 1,
      list: [],
    });
    expect(v.parse(schema, { key: 'x', kind: 'a', value: undefined, more: undefined })).toStrictEqual({
      key: 'x',
      kind: 'a',
      value: undefined,
      more: undefined,
      list: [],
    });
  });

  it('creates a new default for every parse', () => {
    const first = v.parse(schema, { key: 'x', kind: 'a', value: 1 });
    first.list.push('changed');
    expect(v.parse(schema, { key: 'x', kind: 'a', value: 1 }).list).toEqual([]);
  });

  it('reports for every missing member what it must be', () => {
    expect(problemsOf(schema, {})).toEqual([
      ['key', 'is required'],
      ['kind', 'must be one of a, b'],
      ['value', 'is required'],
    ]);
  });

  it.each([[[]], [['a']], [null], ['text'], [1]])('is not %j', (value) => {
    expect(problemsOf(schema, value)).toEqual([[null, 'must be of type object']]);
    expect(schema['~standard'].validate(value)).toMatchObject({ issues: [{}] });
  });

  it('names all unknown members, including those that every object inherits', () => {
    const value: unknown = JSON.parse(
      '{"key":"x","kind":"a","value":1,"constructor":1,"__proto__":2,"other":3}',
    );
    const { issues } = check(schema, value);
    expect(issues?.map(unknownMembers)).toEqual([['constructor', '__proto__', 'other']]);
  });

  it('inside a union reports its unknown member, not that no option fits', () => {
    const either = v.union([v.array(schema), schema]);
    expect(problemsOf(either, { key: 'x', kind: 'a', value: 1, other: 2 })).toEqual([
      ['other', 'is not a known member'],
    ]);
    expect(problemsOf(either, { key: 1, kind: 'a', value: 1, other: 2 })).toEqual([[null, 'is not valid']]);
  });
});

describe('a record', () => {
  it('keeps every member, including those named like inherited ones', () => {
    const value = { constructor: 1, prototype: 2, toString: 3 };
    expect(v.parse(record(v.unknown()), value)).toStrictEqual(value);
  });

  it('drops __proto__ without changing the prototype', () => {
    const result = v.parse(record(v.unknown()), withPrototype);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(result).toStrictEqual({ b: 2 });
    expect(v.parse(v.object({ b: int() }), withPrototype)).toStrictEqual({ b: 2 });
  });

  it('is not an array, and reports each wrong member', () => {
    expect(problemsOf(record(v.string()), ['a'])).toEqual([[null, 'must be of type record']]);
    expect(problemsOf(record(v.string()), { a: 'x', b: 1, c: {} })).toEqual([
      ['b', 'must be of type string'],
      ['c', 'must be of type string'],
    ]);
  });

  it('validates each member with the member schema', () => {
    const schema = record(strictObject({ a: v.optional(int(), 7) }));
    const members = fc.dictionary(fc.string(), fc.record({ a: fc.integer() }, { requiredKeys: [] }));
    fc.assert(
      fc.property(members, (value) => {
        const expected = Object.entries(value)
          .filter(([name]) => name !== '__proto__')
          .map(([name, { a }]) => [name, { a: a ?? 7 }]);
        expect(v.parse(schema, value)).toEqual(Object.fromEntries(expected));
      }),
    );
  });
});

describe('a number', () => {
  it.each([
    [number(), 1.5, []],
    [number(), Infinity, ['must be of type number']],
    [int(), 5, []],
    [int(), 1.5, ['must be of type int']],
    [int(), '5', ['must be of type number']],
    [int(), Infinity, ['must be of type number']],
    [int(), 2 ** 53, ['must be at most 9007199254740991']],
    [int(), -(2 ** 53), ['must be at least -9007199254740991']],
    [v.pipe(number(), v.gtValue(0)), 0, ['must be greater than 0']],
    [v.pipe(int(), v.minValue(1), v.maxValue(3)), 4, ['must be at most 3']],
  ])('%# has a message when it is invalid', (schema, value, problems) => {
    expect(problemsOf(schema, value).map(([, problem]) => problem)).toEqual(problems);
  });
});

describe('a problem', () => {
  it.each([
    [v.pipe(v.string(), v.minLength(2)), 'a', 'must have at least 2 characters'],
    [v.pipe(v.array(v.string()), v.maxLength(1)), ['a', 'b'], 'must have at most 1 item'],
    [v.pipe(v.array(v.string()), v.length(2)), ['a'], 'must have 2 items'],
    [v.pipe(v.string(), v.regex(/^a/u)), 'b', 'must match /^a/u'],
    [v.pipe(v.string(), v.regex(/^a/u, 'must start with a')), 'b', 'must start with a'],
    [
      v.pipe(
        v.string(),
        v.check((text) => text === 'a'),
      ),
      'b',
      'is not valid',
    ],
    [v.literal(true), false, 'must be one of true'],
    [v.picklist(['a', 'b c']), 'd', 'must be one of a, b c'],
    [v.union([v.string(), v.boolean()]), 1, 'is not valid'],
    [
      v.variant('kind', [strictObject({ kind: v.literal('a') }), strictObject({ kind: v.literal('b') })]),
      { kind: 'c' },
      'must be one of a, b',
    ],
    [v.variant('kind', [strictObject({ kind: v.literal('a') })]), 1, 'must be of type object'],
    [v.nullable(v.boolean()), 'x', 'must be of type boolean'],
    [v.array(v.string()), 'x', 'must be of type array'],
  ])('%# has a message that states what the value must be', (schema, value, problem) => {
    expect(problemsOf(schema, value).map(([, text]) => text)).toEqual([problem]);
  });
});

it('a description belongs to a copy of the schema', () => {
  const shared = v.optional(v.string(), 'x');
  const one = described(shared, 'One');
  expect([v.getDescription(one), v.getDescription(shared)]).toEqual(['One', undefined]);
  expect([one.type, v.getDefault(one), v.parse(one, undefined)]).toEqual(['optional', 'x', 'x']);
});
