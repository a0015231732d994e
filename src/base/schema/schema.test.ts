import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as zod from 'zod/mini';
import { accept, REFUSED } from './accept.ts';
import * as z from './schema.ts';
import { judge, toZod } from './to-zod.ts';

const word = fc.constantFrom('', 'a', 'b', 'abc');
const number = fc.constantFrom(-1, 0, 1, 2.5, 2 ** 60);
const name = fc.constantFrom('a', 'b', 'c', 'constructor');

/** Schemas of every form that commands are made of, some of them made by zod itself. */
const { schema } = fc.letrec<{ schema: z.Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<z.Schema>(
      z.string(),
      z.string().check(z.minLength(1), z.maxLength(2)),
      z.string().check(z.regex(/^a/u)),
      z.string().check(z.refine((text) => text !== 'b')),
      z.number().check(z.gt(0), z.lte(2)),
      z.int().check(z.gte(0)),
      z.boolean(),
      z.unknown(),
      z.enum(['a', 'b']),
      z.literal('a'),
      z.literal([1, 'b']),
      zod.string(),
      zod.optional(zod.int()),
      zod._default(zod.boolean(), true),
    ),
    tie('schema').map((inner) => z.optional(inner)),
    tie('schema').map((inner) => z.nullable(inner)),
    tie('schema').map((inner) => z.lazy(() => inner)),
    fc.constant(z.later(() => z.array(z.int()))),
    tie('schema').map((inner) => z.array(inner)),
    tie('schema').map((inner) => z.array(inner).check(z.minLength(1), z.maxLength(2))),
    tie('schema').map((inner) => z.record(z.string(), inner)),
    tie('schema').map((inner) => z.described(inner, 'anything')),
    fc.tuple(tie('schema'), word).map(([inner, value]) => z._default(inner, value as never)),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((options) => z.union(options)),
    fc.dictionary(name, tie('schema'), { maxKeys: 3 }).map((shape) => z.object(shape)),
    fc.dictionary(name, tie('schema'), { maxKeys: 3 }).map((shape) => z.strictObject(shape)),
  ),
}));

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    word,
    number,
    fc.constantFrom(true, null, undefined),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}));

const byZod = (one: z.Schema, given: unknown): unknown => {
  const result = judge(one, given, () => 'wrong');
  return result.success ? result.data : REFUSED;
};

describe('a plain schema', () => {
  it('takes what zod takes, as zod takes it, and refuses the rest', () => {
    let taken = 0;
    fc.assert(
      fc.property(schema, value, (one, given) => {
        const result = accept(one, given);
        if (result !== REFUSED) taken += 1;
        expect(isDeepStrictEqual(result, byZod(one, given))).toBe(true);
      }),
      { numRuns: 20_000 },
    );
    expect(taken).toBeGreaterThan(1000);
  });

  it('puts no member where none was given, whichever way it may be left out', () => {
    const either = z.union([z.optional(z.string()), z._default(z.string(), 'x')]);
    expect(isDeepStrictEqual(accept(z.object({ a: either }), {}), {})).toBe(true);
    expect(isDeepStrictEqual(accept(z.object({ a: either }), { a: undefined }), { a: undefined })).toBe(true);
    const anything = z.object({ a: z.union([z.unknown(), z._default(z.string(), 'x')]) });
    expect(isDeepStrictEqual(accept(anything, {}), byZod(anything, {}))).toBe(true);
  });

  it('leaves to zod what could change an object behind its back', () => {
    const given: unknown = JSON.parse('{"__proto__": {"a": 1}, "b": 2}');
    expect(accept(z.object({ b: z.int() }), given)).toBe(REFUSED);
    expect(accept(z.record(z.string(), z.unknown()), given)).toBe(REFUSED);
    expect(byZod(z.object({ b: z.int() }), given)).toEqual({ b: 2 });
  });

  it('gives every caller a default of its own', () => {
    const list = z._default(z.array(z.string()), []);
    const first = accept(list, undefined) as string[];
    first.push('x');
    expect(accept(list, undefined)).toEqual([]);
  });

  it('is made into a zod schema once, with its description', () => {
    const inner = z.described(z.string(), 'A name');
    const made = toZod(z.strictObject({ a: inner }));
    expect(zod.globalRegistry.get(toZod(inner))).toEqual({ description: 'A name' });
    expect(toZod(inner)).toBe(toZod(inner));
    expect(zod.toJSONSchema(made)).toMatchObject({
      properties: { a: { type: 'string', description: 'A name' } },
      required: ['a'],
      additionalProperties: false,
    });
  });
});

describe('a description', () => {
  it('is given to a copy of a schema that zod made, which is as good as that one', () => {
    const shared = zod.optional(zod.string());
    const one = z.described(shared, 'One');
    expect([z.descriptionOf(one), z.descriptionOf(shared)]).toEqual(['One', undefined]);
    expect(one.check(zod.refine((text) => text !== 'x')).safeParse('x').success).toBe(false);
    expect(accept(z.strictObject({ a: one }), {})).toEqual({});
  });

  it('that zod knows is found', () => {
    expect(z.descriptionOf(zod.string().register(zod.globalRegistry, { description: 'Two' }))).toBe('Two');
  });
});
