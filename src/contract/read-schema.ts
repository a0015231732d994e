import type { JsonObject } from '../base/json.ts';
import { readJsonSchema } from './json-schema-node.ts';
import { embedded, foreignJsonSchema, isValibot, type Schema } from './schema.ts';
import type { SchemaNode } from './schema-node.ts';
import { readValibot } from './valibot-node.ts';

/** Reads a schema as data. */
export function readSchema(schema: Schema, io: 'input' | 'output'): SchemaNode {
  if (isValibot(schema)) return readValibot(schema, (inner) => readEmbedded(inner, io));
  const json = foreignJsonSchema(schema, io);
  return { ...readJsonSchema(json), ...readAbsence(schema, json) };
}

function readEmbedded(schema: Schema, io: 'input' | 'output'): SchemaNode | undefined {
  const foreign = isValibot(schema) ? embedded(schema) : undefined;
  return foreign && readSchema(foreign, io);
}

/**
 * JSON Schema cannot express whether a value itself is optional, or a default that a function sets, so this validates undefined.
 */
function readAbsence(schema: Schema, json: JsonObject): Pick<SchemaNode, 'optional' | 'defaultValue'> {
  const result = schema['~standard'].validate(undefined);
  if (result instanceof Promise) {
    result.catch(() => undefined);
    return { optional: 'default' in json };
  }
  if (result.issues) return { optional: false };
  const { value } = result;
  const isDefault = ['string', 'number', 'boolean'].includes(typeof value);
  return { optional: true, ...(isDefault && { defaultValue: value }) };
}
