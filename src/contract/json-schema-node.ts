import { isPlainObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { SchemaNode } from './schema-node.ts';

/** Reads a JSON Schema. */
export function readJsonSchema(json: JsonObject, root: JsonObject = json): SchemaNode {
  const { $ref, description, default: defaultValue } = json;
  const about = {
    ...(typeof description === 'string' && { description }),
    ...(defaultValue !== undefined && { defaultValue }),
  };
  if (typeof $ref === 'string') return { ...readJsonSchema(resolve($ref, root), root), ...about };
  const choices = [json.anyOf, json.oneOf, json.allOf]
    .flatMap(schemasIn)
    .filter((choice) => !isAbsence(choice));
  const [only] = choices;
  if (only !== undefined && choices.length === 1) return { ...readJsonSchema(only, root), ...about };
  return { kind: kindOf(json, choices), optional: false, ...about, ...childrenOf(json, choices, root) };
}

/** Null; or undefined, which JSON Schema cannot express and libraries render as a schema without rules. */
function isAbsence(choice: JsonObject): boolean {
  return choice.type === 'null' || Object.keys(choice).length === 0;
}

function kindOf(json: JsonObject, choices: readonly JsonObject[]): SchemaNode['kind'] {
  if (choices.length > 0) return 'union';
  // A type list with null means that the value may be null.
  const types = [json.type].flat().filter((type) => type !== 'null');
  const [type] = types;
  switch (types.length === 1 ? type : undefined) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'array':
    case 'object':
      return type as SchemaNode['kind'];
    default:
      return types.includes('string') ? 'string' : 'other';
  }
}

function childrenOf(json: JsonObject, choices: readonly JsonObject[], root: JsonObject): Partial<SchemaNode> {
  const { items, properties } = json;
  const allowed = allowedStrings(json) ?? joinStrings(choices.map(allowedStrings));
  return {
    ...(allowed && { allowed }),
    ...(choices.length > 0 && { options: () => choices.map((choice) => readJsonSchema(choice, root)) }),
    ...(json.type === 'array' && { item: () => readJsonSchema(isSchema(items) ? items : {}, root) }),
    ...(isSchema(properties) && { members: () => readMembers(properties, root) }),
  };
}

/** The allowed values, if all are strings: the command line passes strings. */
function allowedStrings(json: JsonObject): readonly string[] | undefined {
  const values = Array.isArray(json.enum) ? json.enum : json.const === undefined ? [] : [json.const];
  return joinStrings(values.map((value) => (typeof value === 'string' ? [value] : undefined)));
}

function joinStrings(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const known = lists.filter((list) => list !== undefined);
  return known.length > 0 && known.length === lists.length ? known.flat() : undefined;
}

function readMembers(properties: JsonObject, root: JsonObject): Readonly<Record<string, SchemaNode>> {
  const members = Object.entries(properties).map(([name, member]) => [
    name,
    readJsonSchema(isSchema(member) ? member : {}, root),
  ]);
  return Object.fromEntries(members) as Readonly<Record<string, SchemaNode>>;
}

function isSchema(value: JsonValue | undefined): value is JsonObject {
  return isPlainObject(value);
}

function schemasIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** Follows a reference such as `#` or `#/$defs/note` inside the same document. */
function resolve(reference: string, root: JsonObject): JsonObject {
  let found: unknown = root;
  for (const part of reference
    .replace(/^#\/?/u, '')
    .split('/')
    .filter((text) => text !== '')) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    found = isPlainObject(found) ? found[name] : undefined;
  }
  return isPlainObject(found) ? (found as JsonObject) : {};
}
