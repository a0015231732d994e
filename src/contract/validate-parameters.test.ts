import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../test/fixtures/any-text.ts';
import * as v from 'valibot';
import { int } from '../base/schema.ts';
import { Fault } from '../base/fault.ts';
import { defineBatch, defineRead } from './command.ts';
import { validateParameters } from './validate-parameters.ts';

const read = defineRead({
  path: 'thing get',
  summary: 'Get',
  params: {
    name: v.string(),
    limit: v.optional(v.pipe(int(), v.minValue(1)), 10),
    kind: v.optional(v.picklist(['a', 'b'])),
    data: v.optional(v.unknown()),
  },
  aliases: { title: { of: 'name', deprecated: true } },
  output: v.object({}),
  examples: [],
  run: async () => ({}),
});
const batch = defineBatch({
  path: 'thing delete',
  summary: 'Delete',
  params: { ids: v.array(v.string()) },
  aliases: { id: { of: 'ids', deprecated: true } },
  targets: 'ids',
  action: 'delete',
  examples: [],
  plan: async () => [],
  apply: async () => [],
});
const fault = (field: string, code = 'E_VALIDATION'): unknown =>
  expect.objectContaining({ code, details: expect.objectContaining({ field }) });

test('defaults are filled in', async () => {
  expect(await validateParameters(read, { name: 'x' })).toEqual({ name: 'x', limit: 10 });
});

test('an alias sets a single value, or an array', async () => {
  expect(await validateParameters(read, { title: 'x' })).toEqual({ name: 'x', limit: 10 });
  expect(await validateParameters(batch, { id: 'a' })).toEqual({ ids: ['a'] });
  expect(await validateParameters(batch, { id: ['a', 'b'] })).toEqual({ ids: ['a', 'b'] });
});

test('name and alias together join their arrays, and are rejected for a single value', async () => {
  expect(await validateParameters(batch, { ids: ['a'], id: ['b', 'a'] })).toEqual({ ids: ['a', 'b'] });
  expect(await validateParameters(batch, { ids: ['a'], id: 'b' })).toEqual({ ids: ['a', 'b'] });
  await expect(validateParameters(read, { name: 'x', title: 'y' })).rejects.toThrow(
    fault('title', 'E_USAGE'),
  );
  await expect(validateParameters(batch, { ids: 'a', id: 'b' })).rejects.toThrow(fault('id', 'E_USAGE'));
  await expect(validateParameters(batch, { ids: [['a']], id: 'b' })).rejects.toThrow(fault('ids.0'));
});

test.each([
  ['missing', {}, 'name'],
  ['of the wrong type', { name: 1 }, 'name'],
  ['too small', { name: 'x', limit: 0 }, 'limit'],
  ['not one of the allowed values', { name: 'x', kind: 'c' }, 'kind'],
  ['unknown', { name: 'x', nmae: 'y' }, 'nmae'],
  ['named like an inherited member', { name: 'x', constructor: 1 }, 'constructor'],
  ['text that cannot be stored', { name: 'a\u0000b' }, 'name'],
  ['a nested lone surrogate', { name: 'x', data: { a: ['\uD800'] } }, 'data.a[0]'],
])('a parameter that is %s is rejected with its field', async (_what, given, field) => {
  await expect(validateParameters(read, given)).rejects.toThrow(fault(field));
});

test('a batch needs at least one target, and at most 10,000', async () => {
  await expect(validateParameters(batch, { ids: [] })).rejects.toThrow(fault('ids'));
  const ids = Array.from({ length: 10_001 }, (_, index) => String(index));
  await expect(validateParameters(batch, { ids })).rejects.toThrow(fault('ids'));
  expect((await validateParameters(batch, { ids: ids.slice(1) })).ids).toHaveLength(10_000);
});

test('any input gives valid parameters or a fault with a code', async () => {
  const given = fc.dictionary(
    fc.oneof(fc.constantFrom('name', 'limit', 'kind', 'data', 'title'), anyText()),
    fc.anything({ withNullPrototype: false }),
  );
  await fc.assert(
    fc.asyncProperty(given, async (params) => {
      try {
        expect(Object.keys(await validateParameters(read, params))).toEqual(
          expect.arrayContaining(['name', 'limit']),
        );
      } catch (error) {
        expect(error).toBeInstanceOf(Fault);
        expect(['E_VALIDATION', 'E_USAGE']).toContain((error as Fault).code);
      }
    }),
    { numRuns: process.env.DEED_TEST_LONG === '1' ? 1000 : 100 },
  );
});
