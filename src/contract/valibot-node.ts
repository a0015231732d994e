import * as v from 'valibot';
import type { SchemaNode } from './schema-node.ts';

/** The parts of valibot schemas that are read. */
interface Parts {
  readonly type: string;
  readonly pipe?: readonly { readonly type: string; readonly pipe?: Parts['pipe'] }[];
  readonly wrapped?: v.GenericSchema;
  readonly getter?: (input: unknown) => v.GenericSchema;
  readonly item?: v.GenericSchema;
  readonly entries?: v.ObjectEntries;
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
}

type ReadOther = (schema: v.GenericSchema) => SchemaNode | undefined;

/** Reads a valibot schema. `readOther` is tried first for every nested schema. */
export function readValibot(schema: v.GenericSchema, readOther: ReadOther): SchemaNode {
  const other = readOther(schema);
  if (other !== undefined) return other;
  const read = (inner: v.GenericSchema): SchemaNode => readValibot(inner, readOther);
  const parts = schema as unknown as Parts;
  const description = v.getDescription(schema);
  if (parts.getter !== undefined) return withDescription(read(parts.getter(undefined)), description);
  if (parts.wrapped !== undefined) {
    const inner = withDescription(read(parts.wrapped), description);
    const defaultValue: unknown = v.getDefault(schema as v.OptionalSchema<v.GenericSchema, unknown>);
    const optional = inner.optional || MAY_BE_ABSENT.has(parts.type);
    return { ...inner, optional, ...(defaultValue !== undefined && { defaultValue }) };
  }
  return { kind: kindOf(parts), optional: false, description, ...childrenOf(parts, read) };
}

const MAY_BE_ABSENT = new Set(['optional', 'exact_optional', 'nullish', 'undefinedable']);

function withDescription(node: SchemaNode, description: string | undefined): SchemaNode {
  return description === undefined ? node : { ...node, description };
}

function kindOf({ type, pipe = [] }: Parts): SchemaNode['kind'] {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'array':
    case 'union':
      return type;
    case 'variant':
      return 'union';
    case 'number':
      return pipe.some(isInteger) ? 'integer' : 'number';
    case 'object':
    case 'strict_object':
    case 'loose_object':
    case 'object_with_rest':
      return 'object';
    default:
      return 'other';
  }
}

function isInteger({ type, pipe = [] }: NonNullable<Parts['pipe']>[number]): boolean {
  return type === 'integer' || type === 'safe_integer' || pipe.some(isInteger);
}

function childrenOf(parts: Parts, read: (schema: v.GenericSchema) => SchemaNode): Partial<SchemaNode> {
  const { type, item, entries, options = [] } = parts;
  if (item !== undefined) return { item: () => read(item) };
  if (entries !== undefined) {
    const members = Object.entries(entries as Record<string, v.GenericSchema>);
    return { members: () => Object.fromEntries(members.map(([name, member]) => [name, read(member)])) };
  }
  if (type === 'picklist' || type === 'enum') return { allowed: options.map(String) };
  if (type === 'literal') return { allowed: [String(parts.literal)] };
  if (type === 'union' || type === 'variant')
    return { options: () => options.map((option) => read(option as v.GenericSchema)) };
  return {};
}
