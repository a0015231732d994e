import type { JsonObject } from '../../src/base/json.ts';
import { DEED_COMMANDS } from '../../src/commands/table.ts';
import { effectOf, type Command } from '../../src/contract/command.ts';
import { createTable } from '../../src/contract/command-table.ts';
import { renderInput, renderJsonSchema } from '../../src/contract/json-schema.ts';
import { WEB_COMMANDS } from '../../src/entrypoints/web/web-commands.ts';

/** The types of the commands that the web pages call, from their schemas. */
export async function webCommandsPage(): Promise<string> {
  const table = createTable(DEED_COMMANDS);
  const commands = await Promise.all(Object.keys(WEB_COMMANDS).map((path) => table.load(path)));
  const of = (kind: string): string => section(commands.filter((command) => kindOf(command) === kind));
  return `// Generated from the schemas of the commands. Do not edit: npm run generate

/** Queries with one answer. */
export interface Reads {
${of('read')}}

/** Queries that stream items. */
export interface Streams {
${of('stream')}}

/** Writes, with the answer after the confirmation. */
export interface Writes {
${of('write')}}
`;
}

function kindOf(command: Command): string {
  return command.kind === 'stream' ? 'stream' : effectOf(command);
}

function section(commands: readonly Command[]): string {
  return commands
    .map(
      (command) =>
        `  '${command.path}': { input: ${renderType(inputOf(command))}; output: ${renderType(outputOf(command))} };\n`,
    )
    .join('');
}

/** Only the parameters that the pages may use. */
function inputOf(command: Command): JsonObject {
  const { properties, ...rest } = renderInput(command);
  const allowed = WEB_COMMANDS[command.path] ?? [];
  return {
    ...rest,
    properties: Object.fromEntries(
      Object.entries(properties as JsonObject).filter(([name]) => allowed.includes(name)),
    ),
  };
}

function outputOf(command: Command): JsonObject {
  if (command.kind === 'stream') return renderJsonSchema(command.item, 'output');
  if (command.kind !== 'batch') return renderJsonSchema(command.output, 'output');
  if (command.whole === undefined) throw new Error(`the answer of "${command.path}" has no schema`);
  return renderJsonSchema(command.whole.output, 'output');
}

/** Renders the type of the JSON Schemas that our schemas are converted to; any other one fails the build. */
export function renderType(schema: JsonObject): string {
  const options = (schema.anyOf ?? schema.oneOf) as readonly JsonObject[] | undefined;
  if (options !== undefined) return options.map(renderType).join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => renderType({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'object':
      return renderObject(schema);
    case 'array':
      return `readonly (${renderType((schema.items ?? {}) as JsonObject)})[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case undefined:
      return 'unknown';
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function renderObject(schema: JsonObject): string {
  const {
    properties,
    required = [],
    additionalProperties,
  } = schema as {
    readonly properties?: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
    readonly additionalProperties?: JsonObject | boolean;
  };
  if (properties === undefined) {
    const value = typeof additionalProperties === 'object' ? renderType(additionalProperties) : 'unknown';
    return `{ readonly [name: string]: ${value} }`;
  }
  const members = Object.entries(properties).map(
    ([name, member]) => `readonly ${name}${required.includes(name) ? '' : '?'}: ${renderType(member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}
