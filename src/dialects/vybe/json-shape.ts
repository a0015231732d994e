import { isIntegerId } from '../../base/integer-ids.ts';
import { isPlainObject, type JsonValue } from '../../base/json.ts';

/**
 * Shortens a JSON Schema to the shape of its values, as people write it: `{"id":"string","claim?":{"agent":"string"}}`. A "?" marks an optional
 * member, "|" separates the values of an enumeration; of several forms of a value the first is shown.
 */
export function jsonShape(schema: JsonValue | undefined): JsonValue {
  if (!isPlainObject(schema)) return 'any';
  const { type, properties, items, anyOf, required = [], const: constant } = schema;
  const { enum: values } = schema as { enum?: readonly JsonValue[] };
  if (Array.isArray(anyOf)) return jsonShape(anyOf[0] as JsonValue);
  if (Array.isArray(values)) return values.join('|');
  if (constant !== undefined) return JSON.stringify(constant);
  if (isPlainObject(properties)) {
    const needed = required as readonly string[];
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [
        needed.includes(name) ? name : `${name}?`,
        isIntegerId(name, properties) ? 'integer' : jsonShape(member as JsonValue),
      ]),
    );
  }
  if (type === 'array') return [jsonShape(items)];
  if (Array.isArray(type)) return type.join('|');
  return typeof type === 'string' ? type : 'any';
}
