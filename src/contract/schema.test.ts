import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type } from 'arktype';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { checkValue } from './check-value.ts';
import { defineRead } from './command.ts';
import { parametersOf } from './command-parameters.ts';
import { renderJsonSchema } from './json-schema.ts';
import { listFields } from './output-fields.ts';
import { readSchema } from './read-schema.ts';
import { describedParameter, embed, type Schema } from './schema.ts';

const command = (schema: Schema) =>
  defineRead({
    path: 'x',
    summary: 'X',
    params: { a: schema },
    output: v.object({}),
    examples: [],
    run: async () => ({}),
  });

it('a schema that cannot describe itself is rejected with a hint', () => {
  const bare: StandardSchemaV1 = {
    '~standard': { version: 1, vendor: 'bare', validate: (value) => ({ value }) },
  };
  expect(() => parametersOf(command(bare))).toThrow(/A schema of bare .* Wrap it/u);
  expect(() =>
    parametersOf(
      command(
        v.pipeAsync(
          v.string(),
          v.checkAsync(async () => true),
        ),
      ),
    ),
  ).toThrow(/A schema of valibot .* toStandardJsonSchema/u);
});

it('a rule that JSON Schema cannot express is left out', () => {
  const input = (schema: Schema): object => {
    const { $schema: _, ...json } = renderJsonSchema(schema, 'input');
    return json;
  };
  const lower = v.pipe(
    v.string(),
    v.regex(/^a/u),
    v.check((text) => text !== 'ab'),
  );
  expect(input(lower)).toEqual({ type: 'string', pattern: '^a' });
  const name = v.pipe(v.string(), v.trim(), v.minLength(2), v.maxBytes(10), v.brand('Name'));
  expect(input(name)).toEqual({ type: 'string', minLength: 2 });
  expect(input(v.object({ when: v.date(), any: v.custom(() => true), big: v.literal(1n) }))).toMatchObject({
    type: 'object',
    properties: { when: {}, any: {}, big: {} },
  });
  expect(input(v.record(v.picklist(['a', 'b']), v.string()))).toMatchObject({ type: 'object' });
});

it('a value that is transformed has its own type in the input, and any type in the output', () => {
  const size = v.pipe(
    v.string(),
    v.transform((text) => text.length),
  );
  expect(renderJsonSchema(size, 'input')).toMatchObject({ type: 'string' });
  expect(renderJsonSchema(size, 'output')).not.toHaveProperty('type');
  expect(renderJsonSchema(v.pipe(size, v.number(), v.minValue(3)), 'output')).toMatchObject({
    type: 'number',
    minimum: 3,
  });
});

it('a default that a function sets is described', () => {
  const limit = type('number.integer | undefined').pipe((given) => given ?? 5);
  const date = z.preprocess((given) => given ?? new Date(), z.date());
  expect([readSchema(limit, 'input').defaultValue, readSchema(date, 'input').defaultValue]).toEqual([
    5,
    undefined,
  ]);
});

it('a rule of a program without a message of its own has the message of valibot', async () => {
  const problemOf = async (schema: Schema, value: unknown) => {
    const checked = await checkValue(schema, value);
    return 'problems' in checked ? checked.problems[0].problem : undefined;
  };
  expect(await problemOf(v.pipe(v.string(), v.isoDate()), '2026-13-45')).toBe(
    'Invalid date: Received "2026-13-45"',
  );
  expect(await problemOf(v.pipe(v.number(), v.ltValue(5)), 7)).toBe('must be less than 5');
  expect(await problemOf(v.pipe(v.string(), v.email('is not an address')), 'x')).toBe('is not an address');
});

it('an output has all members with a default and no others; in an input they are optional', () => {
  const schema = v.object({ a: v.optional(v.string(), 'x'), b: v.optional(v.nullable(v.boolean())) });
  const properties = {
    a: { type: 'string', default: 'x' },
    b: { type: ['boolean', 'null'] },
  };
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  expect(renderJsonSchema(schema, 'output')).toEqual({
    $schema,
    type: 'object',
    properties,
    required: ['a'],
    additionalProperties: false,
  });
  expect(renderJsonSchema(schema, 'input')).toEqual({ $schema, type: 'object', properties });
});

it('output fields are found through arrays, unions, wrappers, lazy schemas and other libraries', () => {
  const inner = v.object({ x: v.string() });
  const schema = v.object({
    list: v.array(v.union([inner, v.object({ y: v.nullable(inner) })])),
    later: v.lazy(() => v.optional(inner)),
    foreign: embed(z.object({ z: z.array(z.object({ deep: z.string() })) })),
  });
  expect(listFields(schema)).toEqual([
    'list',
    'list[].x',
    'list[].y',
    'list[].y.x',
    'later',
    'later.x',
    'foreign',
    'foreign.z',
    'foreign.z[].deep',
  ]);
});

it('a description is added to a copy, which zod can use inside its own schemas', () => {
  const shared = z.string();
  const one = describedParameter(shared, 'One');
  expect([one.description, shared.description]).toEqual(['One', undefined]);
  expect(z.toJSONSchema(z.object({ one }))).toMatchObject({ properties: { one: { description: 'One' } } });
  expect(parametersOf(command(one.optional()))[0]).toMatchObject({ required: false, type: 'string' });
});

it('a missing value is reported as missing with every library', async () => {
  const missing = { problems: [{ path: [], problem: 'is required' }] };
  expect(await checkValue(z.string(), undefined)).toEqual(missing);
  expect(await checkValue(v.string(), undefined)).toMatchObject(missing);
  expect(await checkValue(z.string().default('x'), undefined)).toEqual({ value: 'x' });
});

it('an asynchronous schema is required unless it has a default', () => {
  const promised = (json: Record<string, unknown>): Schema =>
    ({
      '~standard': {
        version: 1,
        vendor: 'later',
        validate: async (value: unknown) => ({ value }),
        jsonSchema: { input: () => json, output: () => json },
      },
    }) as Schema;
  const [plain] = parametersOf(command(promised({ type: 'string' })));
  const [filled] = parametersOf(command(promised({ type: 'integer', default: 3 })));
  expect([plain?.required, filled?.required, filled?.defaultValue]).toEqual([true, false, 3]);
});
