import * as v from 'valibot';
import { int } from '../base/schema.ts';
import { LIMITS } from '../base/limits.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { effectOf, gateOf, type Command } from './command.ts';
import { applicableGlobals, GLOBAL_PARAMETERS } from './global-parameters.ts';
import { listFields, shapeOf } from './output-fields.ts';
import { parametersOf, type Parameter } from './command-parameters.ts';
import { outputOf } from './shape-reply.ts';

/** Codes that every command can return, besides its own. */
export const COMMON_ERRORS = [
  'E_USAGE',
  'E_VALIDATION',
  'E_FORBIDDEN',
  'E_CONFIG',
  'E_IO',
  'E_TIMEOUT',
  'E_UNKNOWN',
  'E_INTERRUPTED',
] as const;

/** Whether every command can return a code. */
export function isCommonError(code: string): boolean {
  return (COMMON_ERRORS as readonly string[]).includes(code);
}

const WRITE_ERRORS = ['E_CONFIRMATION_REQUIRED', 'E_CONFLICT', 'E_DAMAGED'] as const;

/** The schema of a described command. */
export const DESCRIBED_COMMAND = v.object({
  path: v.string(),
  type: v.picklist(['read', 'write']),
  gate: v.picklist(['none', 'confirm', 'dangerous', 'exempt']),
  dangerous: v.boolean(),
  batch: v.optional(
    v.object({ targets: v.string(), continue_on_error: v.boolean(), chunk_size: int(), atomic: v.boolean() }),
  ),
  streaming: v.optional(v.literal('ndjson')),
  description: v.string(),
  deprecated: v.optional(v.string()),
  params: v.array(
    v.object({
      name: v.string(),
      flag: v.string(),
      type: v.string(),
      required: v.boolean(),
      multiple: v.boolean(),
      description: v.string(),
      allowed: v.optional(v.array(v.string())),
      default: v.optional(v.unknown()),
      position: v.optional(int()),
      alias_of: v.optional(v.string()),
      deprecated: v.optional(v.boolean()),
    }),
  ),
  global_flags: v.array(v.string()),
  output_schema: v.string(),
  sort: v.optional(v.string()),
  paging: v.picklist(['cursor', 'none']),
  formats: v.array(v.string()),
  errors: v.array(v.string()),
  examples: v.array(v.string()),
});

/** Describes one command for programs. */
export function describeCommand(command: Command): v.InferOutput<typeof DESCRIBED_COMMAND> {
  const gate = gateOf(command);
  const gated = gate === 'confirm' || gate === 'dangerous';
  return {
    path: command.path,
    type: effectOf(command),
    gate,
    dangerous: gate === 'dangerous',
    ...(command.kind === 'batch' && {
      batch: {
        targets: command.targets,
        continue_on_error: command.continueOnError ?? true,
        // A whole batch is applied in one call of any size.
        chunk_size: command.whole === undefined ? (command.chunkSize ?? 1) : LIMITS.batchTargets,
        atomic: false,
      },
    }),
    ...(command.kind === 'stream' && { streaming: 'ndjson' }),
    description: command.description ?? command.summary,
    ...(command.deprecated !== undefined && { deprecated: command.deprecated }),
    params: parametersOf(command).map(describeParameter),
    global_flags: applicableGlobals(command).map(({ flag }) => flag),
    output_schema: schemaLabel(command),
    ...('sort' in command && command.sort !== undefined && { sort: command.sort }),
    paging: isPaged(command) ? 'cursor' : 'none',
    formats: ['json', 'text', ...('renderRaw' in command && command.renderRaw ? ['raw'] : [])],
    errors: [...new Set([...COMMON_ERRORS, ...(gated ? WRITE_ERRORS : []), ...(command.errors ?? [])])],
    examples: [...command.examples],
  };
}

/** Describes the output of a command: the selectable fields, and those with untrusted text. */
export function describeOutput(command: Command): JsonObject {
  const output = outputOf(command);
  return {
    shape: shapeOf(output),
    fields: listFields(output).filter((field) => !field.endsWith('_untrusted')),
    untrusted_fields: command.untrusted ?? [],
  };
}

/** Describes a command's input and output as JSON Schema (2020-12). */
export async function describeSchemas(command: Command): Promise<JsonObject> {
  const { renderInput, renderJsonSchema } = await import('./json-schema.ts');
  return { input: renderInput(command), output: renderJsonSchema(outputOf(command), 'output') };
}

export function schemaLabel(command: Command): string {
  return command.path.replaceAll(/[^a-z0-9]+/gu, '_');
}

/** Describes the global flags, grouped by the commands they apply to. */
export function describeGlobalFlags(): JsonObject {
  return Object.fromEntries(
    Object.entries(GLOBAL_PARAMETERS).map(([group, parameters]) => [
      group,
      parameters.map(describeParameter),
    ]),
  );
}

function isPaged(command: Command): boolean {
  return 'cursor' in command.params;
}

function describeParameter(parameter: Parameter) {
  return {
    name: parameter.name,
    flag: parameter.flag,
    type: parameter.type,
    required: parameter.required,
    multiple: parameter.multiple,
    description: parameter.description,
    ...(parameter.allowed && { allowed: [...parameter.allowed] }),
    ...(parameter.defaultValue !== undefined && { default: parameter.defaultValue as JsonValue }),
    ...(parameter.position !== undefined && { position: parameter.position }),
    ...(parameter.aliasOf !== undefined && { alias_of: parameter.aliasOf }),
    ...(parameter.deprecated && { deprecated: true }),
  };
}
