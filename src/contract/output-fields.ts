import type { Schema } from '../base/schema/schema.ts';
import { unwrap } from './schema-walk.ts';

/** Lists every path of an output schema: `items`, `items[].key`, `summary.total`. */
export function listFields(schema: Schema): readonly string[] {
  const fields: string[] = [];
  walk(schema, '', fields, 0);
  return [...new Set(fields)];
}

/** Says whether an output is an object or an array at its top. */
export function shapeOf(schema: Schema): 'object' | 'array' {
  return unwrap(schema).def.type === 'array' ? 'array' : 'object';
}

function walk(schema: Schema, prefix: string, fields: string[], depth: number): void {
  // Recursive schemas (a JSON value, a tree) are cut where nobody selects fields any more.
  if (depth > 8) return;
  const { def } = unwrap(schema);
  if (def.type === 'array' && def.element)
    walk(def.element, prefix === '' ? '[]' : `${prefix}[]`, fields, depth + 1);
  else if (def.type === 'union')
    for (const option of def.options ?? []) walk(option, prefix, fields, depth + 1);
  else if (def.type === 'object') {
    for (const [name, member] of Object.entries(def.shape ?? {})) {
      const path = prefix === '' ? name : `${prefix}.${name}`;
      fields.push(path);
      walk(member, path, fields, depth + 1);
    }
  }
}
