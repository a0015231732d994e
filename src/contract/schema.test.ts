import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { checkValue } from './check-value.ts';
import { defineRead } from './command.ts';
import { parametersOf } from './command-parameters.ts';
import { renderJsonSchema } from './json-schema.ts';
import { listFields } from './output-fields.ts';
import { described, embed, type Schema } from './schema.ts';

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

it('a rule that JSON Schema cannot express is rejected, except regex and check', () => {
  const lower = v.pipe(
    v.string(),
    v.regex(/^a/u),
    v.check((text) => text !== 'ab'),
  );
  expect(renderJsonSchema(lower, 'input')).toMatchObject({ type: 'string', pattern: '^a' });
  const trimmed = v.pipe(v.string(), v.trim());
  expect(() => renderJsonSchema(trimmed, 'input')).toThrow(/"trim" action cannot be converted/u);
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
  const one = described(shared, 'One');
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
