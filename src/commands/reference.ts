import * as v from 'valibot';
import { described, record } from '../base/schema.ts';
import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { defineRead, effectOf, type Command, type Effect } from '../contract/command.ts';
import {
  describeCommand,
  DESCRIBED_COMMAND,
  describeGlobalFlags,
  describeOutput,
  describeSchemas,
  schemaLabel,
} from '../contract/describe-commands.ts';
import {
  CONFIRM_TOKEN_TTL_MS,
  CONTRACT_VERSION,
  ERROR_CODES,
  EXIT_CODES,
  SCHEMA_VERSION,
  UNTRUSTED_KEY,
} from '../contract/generated.ts';
import { ownErrorCodes } from '../contract/own-error-codes.ts';
import { describeReadiness } from '../contract/readiness.ts';
import { suggestCommand } from '../contract/suggest-command.ts';

const anything = record(v.unknown());
const summaries = record(v.string());

export default defineRead({
  path: 'reference',
  summary: 'Describe every command in machine-readable form',
  description:
    'Describes every command with its parameters, output, errors and gates. This is all that a program needs to call them',
  params: {
    command: described(v.optional(v.string()), 'Only this command, for example "config set"'),
    domain: described(v.optional(v.string()), 'Only the commands of this group, for example config'),
    index: described(
      v.optional(v.boolean(), false),
      'Only the path and summary of each command, by effect; about a tenth of the full answer',
    ),
    schema: described(
      v.optional(v.boolean(), false),
      'Add the JSON Schema of the input and output of each command',
    ),
  },
  output: v.object({
    tool: v.string(),
    version: v.string(),
    index: v.optional(v.object({ read: summaries, write: summaries })),
    contract_version: v.optional(v.string()),
    schema_version: v.optional(v.string()),
    risk_tier: v.optional(v.string()),
    release_readiness: v.optional(anything),
    conventions: v.optional(anything),
    global_flags: v.optional(anything),
    commands: v.optional(v.array(DESCRIBED_COMMAND)),
    schemas: v.optional(anything),
    json_schemas: v.optional(anything),
    exit_codes: v.optional(anything),
    error_codes: v.optional(anything),
  }),
  examples: [
    'reference --index --compact',
    'reference --command "config set" --schema',
    'reference --domain audit --fields "commands[].path,commands[].params"',
  ],
  errors: ['E_NOT_FOUND'],
  selfDescription: true,
  run: async (params, { tool, table }) => {
    const all = await table.loadAll();
    const commands = selectCommands(all, params);
    const { name, version } = tool;
    if (params.index) return { tool: name, version, index: indexOf(commands) };
    const described = {
      commands: commands.map(describeCommand),
      schemas: Object.fromEntries(commands.map((command) => [schemaLabel(command), describeOutput(command)])),
      ...(params.schema && { json_schemas: await schemasOf(commands) }),
    };
    // The description of a single command omits what applies to every command.
    if (params.command !== undefined) return { tool: name, version, ...described };
    return {
      tool: name,
      version,
      contract_version: CONTRACT_VERSION,
      schema_version: SCHEMA_VERSION,
      risk_tier: tool.riskTier,
      release_readiness: describeReadiness(tool.evidence),
      conventions: conventions(name),
      global_flags: describeGlobalFlags(),
      ...described,
      exit_codes: EXIT_CODES,
      error_codes: errorCodes(all),
    };
  },
});

/** The summaries by path and effect: the smallest form that shows which commands exist. */
function indexOf(commands: readonly Command[]) {
  const summariesOf = (effect: Effect): Record<string, string> =>
    Object.fromEntries(
      commands.filter((command) => effectOf(command) === effect).map(({ path, summary }) => [path, summary]),
    );
  return { read: summariesOf('read'), write: summariesOf('write') };
}

function selectCommands(
  all: readonly Command[],
  params: { command?: string | undefined; domain?: string | undefined },
): readonly Command[] {
  const { command, domain } = params;
  if (command !== undefined) {
    const found = all.filter(({ path }) => path === command);
    return found.length > 0
      ? found
      : notFound(
          'command',
          command,
          all.map(({ path }) => path),
        );
  }
  if (domain === undefined) return all;
  const found = all.filter(({ path }) => path === domain || path.startsWith(`${domain} `));
  return found.length > 0
    ? found
    : notFound('domain', domain, [...new Set(all.map(({ path }) => path.split(' ')[0] ?? ''))]);
}

function notFound(field: string, value: string, allowed: readonly string[]): never {
  const suggestion =
    field === 'command' ? suggestCommand(value.split(' '), allowed) : nearest(value, allowed);
  throw new Fault('E_NOT_FOUND', `Unknown ${field}: "${value}".`, {
    hint: suggestion ? `Did you mean "${suggestion}"?` : `Use one of ${allowed.join(', ')}.`,
    details: { field, ...(suggestion && { suggestion }), allowed },
  });
}

/** Codes that no command of this tool returns are marked as reserved. */
function errorCodes(all: readonly Command[]): JsonObject {
  const reachable = new Set(all.flatMap((command) => describeCommand(command).errors as readonly string[]));
  return Object.fromEntries(
    [...Object.entries(ERROR_CODES), ...ownErrorCodes()].map(([code, row]) => [
      code,
      reachable.has(code) ? { ...row } : { ...row, reserved: true },
    ]),
  );
}

function conventions(tool: string): JsonObject {
  return {
    invocation: `${tool} <path> [flags]`,
    output:
      'One JSON document on standard output; check "ok" first. Streams are lines of JSON and end with a summary.',
    field_selection: 'dotted paths; on paged queries a bare name refers to the items',
    plural_flags: 'comma-separated, repeated, or both; order is kept, repeats are dropped',
    json_input: 'Every command accepts its parameters as one JSON object through --input.',
    write_flow: {
      steps: ['<command> --dry-run', '<command> --confirm <confirm_token>'],
      dangerous: 'add --dangerous to the second step',
      token_ttl_seconds: CONFIRM_TOKEN_TTL_MS / 1000,
      token_use: 'once; bound to arguments, targets and their versions, caller and home',
      retry:
        'Pass --request-id in both steps; a retry with the same id returns the first answer with "replayed": true.',
    },
    untrusted_key: UNTRUSTED_KEY,
    compatibility:
      'Fields are added within a major schema_version; removing or changing one raises it. Deprecated names stay for one major version.',
    effects: { read: 'changes nothing', write: 'changes state' } satisfies Record<Effect, string>,
  };
}

async function schemasOf(commands: readonly Command[]): Promise<JsonObject> {
  const entries = await Promise.all(
    commands.map(async (command) => [command.path, await describeSchemas(command)] as const),
  );
  return Object.fromEntries(entries);
}
