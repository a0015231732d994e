import type { Command } from './command.ts';
import type { Schema } from '../base/schema/schema.ts';
import { definition, unwrap } from './schema-walk.ts';

export type ParameterType = 'string' | 'integer' | 'number' | 'boolean' | 'enum' | 'json';

/** One parameter of a command, as flags, help, completion and `reference` see it. */
export interface Parameter {
  readonly name: string;
  readonly flag: string;
  readonly type: ParameterType;
  readonly required: boolean;
  /** Plural: comma-separated and repeatable. */
  readonly multiple: boolean;
  readonly description: string;
  readonly allowed?: readonly string[];
  readonly defaultValue?: unknown;
  /** Place among the positional arguments, for those that may be given without a flag. */
  readonly position?: number;
  /** For an older name: the parameter it stands for. */
  readonly aliasOf?: string;
  readonly deprecated?: boolean;
}

/** Lists the parameters of a command in the order of its definition, aliases last. */
export function parametersOf(command: Command): readonly Parameter[] {
  const own = Object.entries(command.params).map(([name, schema]) =>
    readParameter(name, schema as Schema, command.positionals?.indexOf(name) ?? -1),
  );
  const aliases = Object.entries(command.aliases ?? {}).map(([name, alias]): Parameter => {
    const target = own.find((parameter) => parameter.name === alias.of);
    if (target === undefined)
      throw new Error(`${command.path}: alias ${name} stands for unknown ${alias.of}`);
    const { position: _, ...rest } = target;
    return {
      ...rest,
      name,
      flag: flagName(name),
      required: false,
      aliasOf: alias.of,
      deprecated: alias.deprecated,
    };
  });
  return [...own, ...aliases];
}

export function flagName(name: string): string {
  return `--${name.replaceAll('_', '-')}`;
}

function readParameter(name: string, schema: Schema, position: number): Parameter {
  const outer = unwrap(schema);
  const multiple = outer.def.type === 'array';
  const inner = multiple && outer.def.element ? unwrap(outer.def.element) : outer;
  const allowed = allowedValues(inner.schema);
  return {
    name,
    flag: flagName(name),
    type: allowed ? 'enum' : typeName(inner.schema),
    required: !outer.optional,
    multiple,
    description: outer.description ?? inner.description ?? '',
    ...(allowed && { allowed }),
    ...(outer.defaultValue !== undefined && { defaultValue: outer.defaultValue }),
    ...(position >= 0 && { position }),
  };
}

function allowedValues(schema: Schema): readonly string[] | undefined {
  const { type, entries, values } = definition(schema);
  if (type === 'enum' && entries) return Object.values(entries).map(String);
  if (type === 'literal' && values) return values.map(String);
  return undefined;
}

function typeName(schema: Schema): ParameterType {
  const { type, format, options } = definition(schema);
  // Where text is one of several forms, the command line gives text and the command reads it.
  if (type === 'union' && options?.some((option) => definition(option).type === 'string')) return 'string';
  if (type === 'string' || type === 'boolean') return type;
  if (type === 'number') return format?.includes('int') ? 'integer' : 'number';
  return 'json';
}
