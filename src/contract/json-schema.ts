import { toJsonSchema, type ConversionConfig, type JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { sha256 } from '../system/digest.ts';
import type { JsonObject } from '../base/json.ts';
import { parametersOf } from './command-parameters.ts';
import type { Command } from './command.ts';
import { embedded, foreignJsonSchema, isValibot, type Schema } from './schema.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

type Direction = 'input' | 'output';

/** Renders the parameters of a command as JSON Schema 2020-12. Loaded on demand: no ordinary command needs the converter. */
export function renderInput(command: Command): JsonObject {
  const required = parametersOf(command).filter((parameter) => parameter.required);
  const properties = Object.entries(command.params).map(([name, schema]) => [name, render(schema, 'input')]);
  return {
    $schema: DIALECT,
    type: 'object',
    properties: Object.fromEntries(properties) as JsonObject,
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
    additionalProperties: false,
  };
}

/** Renders one schema. */
export function renderJsonSchema(schema: Schema, io: Direction): JsonObject {
  return { $schema: DIALECT, ...render(schema, io) };
}

function render(schema: Schema, io: Direction): JsonObject {
  const { $schema: _, ...json } = isValibot(schema)
    ? (toJsonSchema(schema, io === 'input' ? INPUT : OUTPUT) as JsonObject)
    : foreignJsonSchema(schema, io);
  return JSON.stringify(json).includes('"$ref"') ? ownDocument(json) : json;
}

/** References in a schema are relative to its root, so inside another schema it must be a separate document. */
function ownDocument({ $ref, ...json }: JsonObject): JsonObject {
  const $id = `urn:sha256:${sha256(JSON.stringify({ $ref, ...json }))}`;
  // Validators resolve a $ref next to an $id in different ways.
  return { $id, ...($ref !== undefined && { allOf: [{ $ref }] }), ...json };
}

const INPUT = conversion('input');
const OUTPUT = conversion('output');

function conversion(io: Direction): ConversionConfig {
  return {
    target: 'draft-2020-12',
    typeMode: io,
    overrideSchema: ({ valibotSchema, jsonSchema, errors }) =>
      errors === undefined
        ? completeSchema(valibotSchema, jsonSchema, io)
        : // A record whose keys are not plain strings is still an object; of other values JSON has no type.
          valibotSchema.type === 'record'
          ? jsonSchema
          : {},
    overrideAction: ({ valibotAction, jsonSchema, errors }) =>
      completeAction(valibotAction as Action, jsonSchema, io) ??
      (errors && omitRule(valibotAction as Action, jsonSchema)),
  };
}

type Parts = v.GenericSchema & {
  readonly entries?: Readonly<Record<string, v.GenericSchema & { readonly default?: unknown }>>;
  readonly literal?: unknown;
};

/** Adds what the converter omits: the type of a literal, and that an output has no other members. */
function completeSchema(schema: Parts, json: JsonSchema, io: Direction): JsonSchema | undefined {
  if (schema.type === 'literal') return { type: typeof schema.literal as 'string', ...json };
  if (schema.type === 'nullable') return mergeNull(json);
  if (schema.entries === undefined) return undefined;
  const { required = [], additionalProperties, ...rest } = json;
  const present = Object.entries(schema.entries).filter(
    ([name, member]) => required.includes(name) || (io === 'output' && member.default !== undefined),
  );
  return {
    ...rest,
    ...(present.length > 0 && { required: present.map(([name]) => name) }),
    ...(io === 'output'
      ? { additionalProperties: false }
      : additionalProperties !== undefined && { additionalProperties }),
  };
}

/** Renders a nullable plain type as a list of two types. */
function mergeNull({ anyOf, ...rest }: JsonSchema): JsonSchema | undefined {
  const [inner] = anyOf ?? [];
  if (typeof inner !== 'object' || typeof inner.type !== 'string' || Object.keys(inner).length > 1)
    return undefined;
  return { type: [inner.type, 'null'], ...rest };
}

type Action = {
  readonly kind: string;
  readonly type: string;
  readonly requirement?: unknown;
  readonly metadata?: unknown;
};

/** Renders rules that the converter cannot, or not completely; undefined for any other. */
function completeAction(action: Action, json: JsonSchema, io: Direction): JsonSchema | undefined {
  switch (action.type) {
    case 'regex':
      // Our expressions have the flag "u", which JSON Schema implies.
      return { ...json, pattern: (action.requirement as RegExp).source };
    case 'metadata': {
      const foreign = embedded({ pipe: [action] } as unknown as v.GenericSchema);
      return foreign && render(foreign, io);
    }
    default:
      return undefined;
  }
}

/** Transformations whose result has the type of their input. */
const KEEPS_TYPE: ReadonlySet<string> = new Set([
  'brand',
  'filter_items',
  'flavor',
  'guard',
  'normalize',
  'readonly',
  'sort_items',
  'to_camel_case',
  'to_kebab_case',
  'to_lower_case',
  'to_max_value',
  'to_min_value',
  'to_pascal_case',
  'to_snake_case',
  'to_upper_case',
  'trim',
  'trim_end',
  'trim_start',
]);

/**
 * Leaves out a rule that JSON Schema cannot express, such as a function or a number of bytes. The schema then accepts more than the
 * command; after a transformation into another type it accepts everything.
 */
function omitRule({ kind, type }: Action, json: JsonSchema): JsonSchema {
  return kind === 'validation' || KEEPS_TYPE.has(type) ? json : {};
}
