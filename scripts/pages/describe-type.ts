import type { JsonObject } from '../../src/base/json.ts';

/** Describes the type of a JSON Schema in a few words. */
export function describeType(schema: JsonObject): string {
  if (schema.const !== undefined) return code(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(code).join(', ');
  const branches = (schema.anyOf ?? schema.oneOf) as JsonObject[] | undefined;
  if (branches !== undefined)
    return [...new Set(branches.map(describeType))]
      .map((type) => type.replace(/^null$/u, '`null`'))
      .join(' or ');
  if (Array.isArray(schema.type))
    return schema.type
      .map((type) => (type === 'null' ? '`null`' : describeType({ ...schema, type: type as string })))
      .join(' or ');
  switch (schema.type) {
    case 'string':
      return schema.format === 'uri' ? 'URL' : 'string';
    case 'boolean':
      return 'boolean';
    case 'integer':
      return `integer${describeRange(schema)}`;
    case 'number':
      return `number${describeRange(schema)}`;
    case 'array':
      return `array of ${describeType((schema.items ?? {}) as JsonObject)}`;
    case 'object':
      return schema.properties === undefined ? 'object by name' : 'object';
    case 'null':
      return 'null';
    default:
      return 'any';
  }
}

function describeRange({ minimum, maximum, exclusiveMinimum }: JsonObject): string {
  const lowest = minimum ?? exclusiveMinimum;
  const from = typeof lowest === 'number' && Math.abs(lowest) < Number.MAX_SAFE_INTEGER ? lowest : undefined;
  const to = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (from === undefined && to === undefined) return '';
  const low = from === undefined ? '' : exclusiveMinimum === undefined ? ` from ${from}` : ` above ${from}`;
  return `${low}${to === undefined ? '' : ` to ${to}`}`;
}

function code(value: unknown): string {
  return `\`${String(value)}\``;
}

/** Renders one row of a Markdown table, with escaping. */
export function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')).join(' | ')} |`;
}
