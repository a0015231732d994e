import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import * as v from 'valibot';
import type { JsonObject } from '../base/json.ts';
import { described as describedValibot } from '../base/schema.ts';
import { convertZodMini } from './zod-mini.ts';

/**
 * A schema of any library that implements Standard Schema. Ours are plain valibot. A schema of another library, or one wrapped by
 * valibot's `toStandardJsonSchema`, must also describe itself as JSON Schema: flags and `reference` are derived from that.
 */
export type Schema<O = unknown> = StandardSchemaV1<unknown, O>;

export type OutputOf<T extends Schema> = StandardSchemaV1.InferOutput<T>;

/** Members by name, as `params` of a command lists them. */
export type Shape = Readonly<Record<string, Schema>>;

/** An object with the members of a shape; members that may be undefined are optional. */
export type MembersOf<S extends Shape> = {
  [K in keyof S as undefined extends OutputOf<S[K]> ? never : K]: OutputOf<S[K]>;
} & {
  [K in keyof S as undefined extends OutputOf<S[K]> ? K : never]?: OutputOf<S[K]>;
};

export function isValibot(schema: Schema): schema is v.GenericSchema {
  return schema['~standard'].vendor === 'valibot' && 'kind' in schema && 'async' in schema && !schema.async;
}

const METADATA_KEY = 'deed.schema';

/** Wraps a schema of any library in a valibot schema. Contract: for descriptions only, it accepts every value. */
export function embed<T extends Schema>(schema: T): v.GenericSchema<unknown, OutputOf<T>> {
  const found: Schema = schema;
  const embedded = isValibot(found) ? found : v.pipe(v.unknown(), v.metadata({ [METADATA_KEY]: found }));
  return embedded;
}

/** The schema that `embed` wrapped; undefined for any other schema. */
export function embedded(schema: v.GenericSchema): Schema | undefined {
  return v.getMetadata(schema)[METADATA_KEY] as Schema | undefined;
}

/** Converts a schema of another library to JSON Schema. */
export function foreignJsonSchema(schema: Schema, io: 'input' | 'output'): JsonObject {
  const { vendor } = schema['~standard'];
  const { jsonSchema } = schema['~standard'] as Partial<StandardJSONSchemaV1.Props>;
  if (jsonSchema === undefined) {
    const converted = convertZodMini(schema, io);
    if (converted !== undefined) return converted;
    throw new Error(
      `A schema of ${vendor} does not describe itself as JSON Schema ("~standard.jsonSchema"). Wrap it: toStandardJsonSchema of @valibot/to-json-schema for asynchronous schemas of valibot, toJSONSchema of zod for zod/mini.`,
    );
  }
  // Types that JSON Schema cannot express become {}; the option is zod's, other libraries ignore it.
  const libraryOptions = { unrepresentable: 'any' };
  return jsonSchema[io]({ target: 'draft-2020-12', libraryOptions }) as JsonObject;
}

/** Copies a parameter's schema of any library and adds a description. */
export function describedParameter<T extends Schema>(schema: T, description: string): T {
  if (isValibot(schema)) return describedValibot(schema, description);
  if ('describe' in schema && schema['~standard'].vendor === 'zod')
    return (schema as unknown as { describe: (text: string) => T }).describe(description);
  const standard = schema['~standard'];
  const render = (io: 'input' | 'output') => () => ({ ...foreignJsonSchema(schema, io), description });
  return Object.create(schema, {
    '~standard': {
      value: { ...standard, jsonSchema: { input: render('input'), output: render('output') } },
    },
  }) as T;
}

/** The members of a command's definition. A program in JavaScript learns here, not where it is used, that a schema is missing. */
export function describedMembers(definition: object, kind: string): PropertyDescriptorMap {
  const members: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(definition);
  const name = kind === 'stream' ? 'item' : 'output';
  // A getter is not called: creating a schema is slow.
  const member = members[name];
  const isMissing = member === undefined || ('value' in member && member.value === undefined);
  if (kind !== 'batch' && isMissing)
    throw new TypeError(`The command "${members.path?.value}" needs "${name}", the schema of its answer.`);
  return members;
}
