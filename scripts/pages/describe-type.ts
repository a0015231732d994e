import type { JsonObject } from '../../src/base/json.ts';

/** Says in a few words what a JSON Schema takes. */
export function describeType(schema: JsonObject): string {
  if (schema.const !== undefined) return code(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(code).join(', ');
  const branches = (schema.anyOf ?? schema.oneOf) as JsonObject[] | undefined;
  if (branches !== undefined)
    return [...new Set(branches.map(describeType))]
      .map((type) => type.replace(/^null$/u, '`null`'))
      .join(' or ');
  switch (schema.type) {
    case 'string':
      return schema.format === 'uri' ? 'URL' : 'text';
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `whole number${describeRange(schema)}`;
    case 'number':
      return `number${describeRange(schema)}`;
    case 'array':
      return `list of ${describeType((schema.items ?? {}) as JsonObject)}`;
    case 'object':
      return schema.properties === undefined ? 'object by name' : 'object';
    case 'null':
      return 'null';
    default:
      return 'anything';
  }
}

function describeRange({ minimum, maximum, exclusiveMinimum }: JsonObject): string {
  const least = minimum ?? exclusiveMinimum;
  const from = typeof least === 'number' && Math.abs(least) < Number.MAX_SAFE_INTEGER ? least : undefined;
  const to = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (from === undefined && to === undefined) return '';
  const low = from === undefined ? '' : exclusiveMinimum === undefined ? ` from ${from}` : ` above ${from}`;
  return `${low}${to === undefined ? '' : ` to ${to}`}`;
}

function code(value: unknown): string {
  return `\`${String(value)}\``;
}

/** One row of a Markdown table; what would break the table is escaped. */
export function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')).join(' | ')} |`;
}
