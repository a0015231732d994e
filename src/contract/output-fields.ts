import { readSchema } from './read-schema.ts';
import type { SchemaNode } from './schema-node.ts';
import type { Schema } from './schema.ts';

/** Lists every path of an output schema: `items`, `items[].key`, `summary.total`. */
export function listFields(schema: Schema): readonly string[] {
  const fields: string[] = [];
  walk(readSchema(schema, 'output'), '', fields, 0);
  return [...new Set(fields)];
}

/** Whether an output is an object or an array at the top level. */
export function shapeOf(schema: Schema): 'object' | 'array' {
  return readSchema(schema, 'output').kind === 'array' ? 'array' : 'object';
}

function walk(node: SchemaNode, prefix: string, fields: string[], depth: number): void {
  // Recursive schemas (a JSON value, a tree) are listed to this depth.
  if (depth > 8) return;
  if (node.item) walk(node.item(), prefix === '' ? '[]' : `${prefix}[]`, fields, depth + 1);
  for (const option of node.options?.() ?? []) walk(option, prefix, fields, depth + 1);
  for (const [name, member] of Object.entries(node.members?.() ?? {})) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    fields.push(path);
    walk(member, path, fields, depth + 1);
  }
}
