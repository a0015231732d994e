import { ownMember } from '../../base/own-member.ts';
import * as v from 'valibot';
import { record } from '../../base/schema.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { defineRead, effectOf, type Command, type CommandContext } from '../../contract/command.ts';
import { VYBE_COMMANDS, type VybeCommand } from './commands.ts';
import { parametersOf } from '../../contract/command-parameters.ts';
import { outputOf } from '../../contract/shape-reply.ts';
import { vybeParameters, VYBE_GLOBALS } from './parse-argv.ts';
import { allPaths, describePath, topLevel } from './command-path.ts';
import { jsonShape } from './json-shape.ts';

/** Describes all commands. The descriptions come from the command table, so they are always current. */
export function indexCommand(): Command {
  return defineDescription('index', async (context) => {
    const summaries = await readSummaries(context);
    return {
      version: context.tool.version,
      commands: topLevel().map((name) => ({ name, description: describePath(name, summaries) })),
      schema_hint: 'vybe schema commands',
    };
  });
}

export function namespaceCommand(namespace: string): Command {
  return defineDescription(namespace, async (context) => {
    const summaries = await readSummaries(context);
    const members = allPaths().filter((path) => path.startsWith(`${namespace} `));
    return {
      namespace,
      subcommands: members.map((path) => ({
        name: path.slice(namespace.length + 1),
        description: describePath(path, summaries),
      })),
    };
  });
}

export function schemaCommand(): Command {
  return defineDescription('schema commands', async (context) => {
    const paths = Object.entries(VYBE_COMMANDS).filter(([, spec]) => !spec.hook);
    return { commands: await Promise.all(paths.map(([path, spec]) => describeCommand(path, spec, context))) };
  });
}

/** Describes a command, or the commands of a namespace, with the shapes of the document and the answer instead of their schemas. */
export function helpCommand(topic: string): Command {
  return defineDescription('help', async (context) => {
    const paths = Object.entries(VYBE_COMMANDS).filter(
      ([path, spec]) => !spec.hook && (path === topic || path.startsWith(`${topic} `)),
    );
    return { commands: await Promise.all(paths.map(([path, spec]) => explainCommand(path, spec, context))) };
  });
}

async function explainCommand(path: string, spec: VybeCommand, context: CommandContext): Promise<JsonObject> {
  const { args_schema, ...rest } = await describeCommand(path, spec, context);
  const { properties, ...schema } = args_schema as { properties: Record<string, JsonObject> };
  const { contentSchema, ...document } = properties.json ?? {};
  const { renderJsonSchema } = await import('../../contract/json-schema.ts');
  const command = await context.table.load(spec.command);
  return {
    ...rest,
    args_schema: { ...schema, properties: spec.document ? { ...properties, json: document } : properties },
    ...(spec.document && { json_shape: jsonShape(contentSchema) }),
    data_shape: shapeOfAnswer(jsonShape(renderJsonSchema(outputOf(command), 'output')), spec),
  };
}

/** The shape of an answer in the terms of this dialect. */
function shapeOfAnswer(shape: JsonValue, { rows }: VybeCommand): JsonValue {
  const { '_untrusted?': _, items, ...members } = shape as JsonObject;
  if (rows === undefined || items === undefined) return members;
  return {
    count: 'integer',
    [rows]: items,
    'has_more?': 'true',
    'next_cursor?': 'string',
    'total?': 'integer',
  };
}

async function describeCommand(
  path: string,
  spec: VybeCommand,
  context: CommandContext,
): Promise<JsonObject> {
  const command = await context.table.load(spec.command);
  const { renderInput } = await import('../../contract/json-schema.ts');
  const input = renderInput(command) as {
    properties?: Record<string, JsonObject>;
  };
  const properties: Record<string, JsonObject> = {};
  const required: string[] = [];
  for (const { name, flag, required: needed, description } of vybeParameters(command, spec)) {
    const shown = flag.slice(2);
    const letter = spec.letters?.[name];
    const schema: JsonObject = spec.document
      ? { type: 'string', contentMediaType: 'application/json', contentSchema: documentSchema(input) }
      : { ...(spec.schemas?.[name] ?? input.properties?.[name]) };
    const preset = spec.defaults?.[name];
    properties[shown] = {
      ...schema,
      description,
      ...(preset !== undefined && { default: preset }),
      ...(letter !== undefined && { 'x-short': letter }),
    };
    if (needed) required.push(shown);
  }
  if (path === 'resume')
    properties.peek = {
      type: 'boolean',
      default: false,
      description: 'Only show the brief, without changes and without a request id',
    };
  for (const { flag, description } of VYBE_GLOBALS) {
    const shown = flag.slice(2);
    if (shown === 'request-id' && effectOf(command) === 'read') continue;
    properties[shown] = { type: 'string', description };
  }
  if (spec.agent === 'required') required.push('agent');
  if (spec.requestId) required.push('request-id');
  return {
    command: path,
    description: command.summary,
    args_schema: { type: 'object', properties, required, additionalProperties: false },
    mutates: effectOf(command) === 'write',
    requires_request_id: spec.requestId === true,
    ...(path === 'resume' && { read_only_with: '--peek' }),
  };
}

function documentSchema(input: { properties?: Record<string, JsonObject> }): JsonObject {
  const { agent: _agent, db_path: _path, ...properties } = input.properties ?? {};
  return { type: 'object', properties, additionalProperties: false };
}

/** Renders help text for people; programs use `schema commands`. */
export async function renderHelp(path: string, context: CommandContext): Promise<string> {
  const summaries = await readSummaries(context);
  const spec = ownMember(VYBE_COMMANDS, path);
  const rows = allPaths().filter((known) => path === '' || known === path || known.startsWith(`${path} `));
  const width = Math.max(...rows.map((row) => row.length));
  const list = rows.map((row) => `  vybe ${row.padEnd(width)}  ${describePath(row, summaries)}`).join('\n');
  if (spec === undefined) return `vybe ${context.tool.version}: continuity for agents\n\n${list}\n`;
  const command = await context.table.load(spec.command);
  const flags = [...vybeParameters(command, spec), ...VYBE_GLOBALS]
    .map(
      ({ flag, description, required }) =>
        `  ${flag.padEnd(20)} ${description}${required ? ' (required)' : ''}`,
    )
    .join('\n');
  return `${list}\n\nFlags\n${flags}\n${spec.document ? renderDocument(command) : ''}`;
}

/** The members of the JSON document that a command reads. */
function renderDocument(command: Command): string {
  const members = parametersOf(command).filter(({ name }) => name !== 'agent' && name !== 'db_path');
  const rows = members.map(({ name, description }) => `  ${name.padEnd(20)} ${description}`);
  return `\nMembers of the JSON document\n${rows.join('\n')}\n`;
}

export function helpTextCommand(path: string): Command {
  return defineRead({
    path: '--help',
    needsNoHome: true,
    summary: 'Help for people',
    params: {},
    output: v.object({ help: v.string() }),
    examples: ['--help'],
    run: async (_params, context) => ({ help: await renderHelp(path, context) }),
    renderRaw: ({ help }) => help,
  });
}

export function versionCommand(): Command {
  return defineDescription('version', async ({ tool }) => ({ version: tool.version }));
}

async function readSummaries({ table }: CommandContext): Promise<ReadonlyMap<string, string>> {
  const shown = Object.entries(VYBE_COMMANDS).filter(([, spec]) => !spec.hook);
  return new Map(
    await Promise.all(
      shown.map(async ([path, spec]) => [path, (await table.load(spec.command)).summary] as const),
    ),
  );
}

function defineDescription(path: string, run: (context: CommandContext) => Promise<JsonObject>): Command {
  return defineRead({
    path,
    summary: 'Describe commands',
    params: {},
    output: record(v.unknown()),
    examples: [path],
    selfDescription: true,
    run: async (_params, context) => run(context),
  });
}
