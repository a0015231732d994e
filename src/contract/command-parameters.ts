import { omit } from '../base/omit.ts';
import type { Command } from './command.ts';
import { readSchema } from './read-schema.ts';
import type { SchemaNode } from './schema-node.ts';

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
  /** The index among the positional arguments, for a parameter that can be passed without a flag. */
  readonly position?: number;
  /** For an alias: the parameter that it sets. */
  readonly aliasOf?: string;
  readonly deprecated?: boolean;
}

/** Lists the parameters of a command in the order of its definition, aliases last. */
export function parametersOf(command: Command): readonly Parameter[] {
  const own = Object.entries(command.params).map(([name, schema]) =>
    readParameter(name, readSchema(schema, 'input'), command.positionals?.indexOf(name) ?? -1),
  );
  const aliases = Object.entries(command.aliases ?? {}).map(([name, alias]): Parameter => {
    const target = own.find((parameter) => parameter.name === alias.of);
    if (target === undefined)
      throw new Error(`${command.path}: alias ${name} refers to unknown parameter ${alias.of}`);
    return {
      ...omit(target, 'position'),
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

function readParameter(name: string, node: SchemaNode, position: number): Parameter {
  const multiple = node.item !== undefined;
  const inner = node.item?.() ?? node;
  return {
    name,
    flag: flagName(name),
    type: inner.allowed ? 'enum' : typeName(inner),
    required: !node.optional,
    multiple,
    description: node.description ?? inner.description ?? '',
    ...(inner.allowed && { allowed: inner.allowed }),
    ...(node.defaultValue !== undefined && { defaultValue: node.defaultValue }),
    ...(position >= 0 && { position }),
  };
}

function typeName({ kind, options }: SchemaNode): ParameterType {
  // In a union with string, the command line passes a string and the command parses it.
  if (kind === 'union') return options?.().some((option) => option.kind === 'string') ? 'string' : 'json';
  return kind === 'array' || kind === 'object' || kind === 'other' ? 'json' : kind;
}
