import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, isDeeperThan, isPlainObject } from './json.ts';

/** Copies a value with the members of every object in reverse order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, shuffled(member)]),
  );
}

test('canonical JSON parses to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('equal values have the same canonical JSON, in any member order', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
    }),
  );
});

test('different values have different canonical JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (left, right) => {
      const equal = isDeepStrictEqual(JSON.parse(JSON.stringify(left)), JSON.parse(JSON.stringify(right)));
      expect(canonicalJson(left) === canonicalJson(right)).toBe(equal);
    }),
    { numRuns: 1000 },
  );
});

test('members named like inherited ones are ordinary members', () => {
  expect(canonicalJson(JSON.parse('{"z":1,"__proto__":{"b":1,"a":2},"constructor":3}'))).toBe(
    '{"__proto__":{"a":2,"b":1},"constructor":3,"z":1}',
  );
});

test('undefined members are omitted, and undefined is null', () => {
  expect([canonicalJson({ b: undefined, a: 1 }), canonicalJson(undefined)]).toEqual(['{"a":1}', 'null']);
});

test('isPlainObject accepts only plain objects', () => {
  expect([{}, Object.create(null), JSON.parse('{"__proto__":1}')].map(isPlainObject)).toEqual([
    true,
    true,
    true,
  ]);
  expect([null, [], new Date(), new Map(), 'x', 1, undefined, () => 1].map(isPlainObject)).toEqual(
    Array(8).fill(false),
  );
});

test('depth is counted exactly, and no depth overflows the stack', () => {
  const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 300 }), (depth, limit) => {
      expect(isDeeperThan(nested(depth), limit)).toBe(depth > limit);
    }),
  );
  expect([isDeeperThan('x', 0), isDeeperThan({ a: { b: 1 } }, 1), isDeeperThan({ a: { b: 1 } }, 2)]).toEqual([
    false,
    true,
    false,
  ]);
  let deep: unknown = 1;
  for (let depth = 0; depth < 1_000_000; depth += 1) deep = { deep };
  expect(isDeeperThan(deep, 100)).toBe(true);
});
